"""Runs the benchmarks named on the command line, or all: ``python -m benchmarks [NAME] [OPTIONS]``."""

from __future__ import annotations

import argparse
from importlib import import_module

BENCHMARKS = {
    "audit-corpus": "benchmarks.audit_corpus",
    "audit-speed": "benchmarks.audit_speed",
    "decay": "benchmarks.decay",
    "forecast": "benchmarks.forecast",
    "guards": "benchmarks.guards",
    "migration": "benchmarks.migration",
    "recall-quality": "benchmarks.recall_quality",
    "recall-speed": "benchmarks.recall_speed",
    "report": "benchmarks.report",
}


def main() -> None:
    """Parses the command line and runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=sorted(BENCHMARKS), help="default: all of them")
    parser.add_argument("--rows", type=int, default=1_000_000, help="facts (default: 1000000)")
    parser.add_argument("--repeat", type=int, default=3, help="interleaved runs (default: 3)")
    options = parser.parse_args()
    for name in [options.name] if options.name else sorted(BENCHMARKS):
        import_module(BENCHMARKS[name]).run(rows=options.rows, repeat=options.repeat)


if __name__ == "__main__":
    main()
