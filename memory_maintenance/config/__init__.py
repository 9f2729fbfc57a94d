"""What an operator may set: YAML file, environment and options as one checked value."""
