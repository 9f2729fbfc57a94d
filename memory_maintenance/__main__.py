"""``python -m memory_maintenance``: the same as the installed command."""

import sys

from memory_maintenance.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
