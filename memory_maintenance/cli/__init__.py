"""The command line: options in, one call, one result out."""
