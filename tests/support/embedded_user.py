"""A process that uses an embedded server: to be killed, or run as another account.

Prints the conninfo once the server is there, and goes on until its standard input ends.
Arguments: the directory, and any of --keep and --fail (raise an error instead of waiting). An
error of ours goes to standard error, and its exit code is the process's.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memory_maintenance.database import embedded
from memory_maintenance.errors import MaintenanceError


def main(directory: str, *flags: str) -> int:
    """Use the server in directory."""
    try:
        with embedded.start(Path(directory), keep_running="--keep" in flags) as conninfo:
            print(conninfo, flush=True)
            if "--fail" in flags:
                raise RuntimeError("as asked")
            sys.stdin.read()
    except MaintenanceError as error:
        print(error, error.remedy, sep="\n", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
