"""What the audit of a large tree costs, beside grep and one parse of its Python files.

A tree of 10,000 files and 2,000,000 lines in several languages is written; a few files in a hundred name the
column. Timed, round by round: ``grep -rn data_type`` over it, a process that parses each of its Python files
once by ``ast.parse``, and the command, each with the start of its process and with the files in cache.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

FILES: Final = 10_000
LINES: Final = 2_000_000
NAMED: Final = 0.03

_PARSE: Final = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_bytes())
"""


def run(*, rows: int, repeat: int) -> None:  # noqa: ARG001 - the size is that of the promise
    """Prints the table. repeat: rounds."""
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder:
        top = Path(folder, "tree")
        lines = write_tree(top)
        commands = {
            "grep -rn data_type": ["grep", "-rn", "data_type", str(top)],
            "ast.parse of all Python files": [sys.executable, "-c", _PARSE, str(top)],
            "audit-data-type-refs": [
                *(sys.executable, "-m", "memory_maintenance", "audit-data-type-refs"),
                *(str(top), "--format", "json"),
            ],
        }
        _timed(commands["grep -rn data_type"])  # the first reading fills the cache
        taken: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
        for _ in range(repeat):
            for name, argv in commands.items():
                taken[name].append(_timed(argv))
        _print(lines, repeat, taken)


def _print(lines: int, repeat: int, taken: dict[str, list[tuple[float, int]]]) -> None:
    console = Console(width=110)
    console.print(f"{FILES:,} files, {lines:,} lines, medians of {repeat}, interleaved")
    table = Table("", "seconds", "peak memory, MB")
    for name, runs in taken.items():
        seconds = statistics.median(seconds for seconds, _ in runs)
        table.add_row(name, f"{seconds:.2f}", f"{max(rss for _, rss in runs) / 1024:.0f}")
    console.print(table)
    grep, parse, audit = taken.values()
    ratios = [a[0] / (g[0] + p[0]) for g, p, a in zip(grep, parse, audit, strict=True)]
    console.print(f"audit / (grep + parse): {statistics.median(ratios):.2f}")


def _timed(argv: list[str]) -> tuple[float, int]:
    """Seconds of wall time, and the greatest resident set of the process in kB."""
    began = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, argv)
    return seconds, usage.ru_maxrss


def write_tree(top: Path, files: int = FILES, lines: int = LINES) -> int:
    """Writes a tree, the same each time, and returns how many lines it has."""
    chance = random.Random(20)
    written = 0
    for number in range(files):
        suffix, make = chance.choices(_KINDS, _WEIGHTS)[0]
        path = top / f"package_{number % 100:02}" / f"module_{number:05}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = make(chance, lines // files, chance.random() < NAMED)
        path.write_text(text)
        written += text.count("\n")
    return written


def _python(chance: random.Random, lines: int, named: bool) -> str:
    blocks = ["import logging\n\nlog = logging.getLogger(__name__)\n"]
    count = 3
    while count < lines - 8:
        number = chance.randrange(10_000)
        blocks.append(
            f"\n\ndef step_{count}(session, limit={number}):\n"
            f'    """Moves {number} rows on."""\n'
            f'    rows = session.execute("SELECT id, value FROM table_{number} WHERE id > %s", (limit,))\n'
            f"    for row in rows:\n"
            f'        if row["value"] is None or row["id"] % {number + 1} == 0:\n'
            f'            log.debug("passed over %s", row["id"])\n'
            f"            continue\n"
            f'        session.note({{"id": row["id"], "value": row["value"] * {number}}})\n'
        )
        count += 10
    if named:
        blocks.append(
            '\n\ndef kinds(session):\n    rows = session.execute("SELECT data_type FROM entity_facts")\n'
            '    return [row["data_type"] for row in rows]\n'
        )
        count += 5
    return "".join(blocks) + "\n" * max(0, lines - count)


def _sql(chance: random.Random, lines: int, named: bool) -> str:
    blocks = []
    for number in range(lines // 4):
        size = chance.randrange(1000)
        blocks.append(
            f"SELECT t.id, t.value, count(*)\nFROM table_{number} AS t\n"
            f"WHERE t.size > {size} GROUP BY t.id, t.value;\n\n"
        )
    if named:
        blocks[len(blocks) // 2] = (
            "UPDATE entity_facts\nSET data_type = 'permanent'\nWHERE id = 1;\n\n"
        )
    return "".join(blocks)


def _javascript(chance: random.Random, lines: int, named: bool) -> str:
    blocks = []
    for number in range(lines // 5):
        size = chance.randrange(1000)
        blocks.append(
            f"export async function step{number}(pool, limit = {size}) {{\n"
            f"  const {{ rows }} = await pool.query(`SELECT id FROM table_{number} LIMIT ${{limit}}`);\n"
            f"  return rows.map((row) => ({{ id: row.id, size: {size} }}));\n"
            "}\n\n"
        )
    if named:
        blocks.append(
            "export const kinds = (pool) => pool.query(`SELECT data_type FROM entity_facts`);\n"
        )
    return "".join(blocks)


def _shell(chance: random.Random, lines: int, named: bool) -> str:
    blocks = [
        f"if [ -n \"$STEP_{number}\" ]; then\n  echo 'step {number}' {chance.random()}\nfi\n\n"
        for number in range(lines // 4)
    ]
    if named:
        blocks.append("psql -c 'SELECT data_type FROM entity_facts'\n")
    return "#!/bin/sh\n" + "".join(blocks)


def _yaml(chance: random.Random, lines: int, named: bool) -> str:
    entries = [
        f"- name: step {number}\n  size: {chance.random()}\n" for number in range(lines // 2)
    ]
    if named:
        entries.append("- table: entity_facts\n  columns: [id, data_type]\n")
    return "".join(entries)


def _json(chance: random.Random, lines: int, named: bool) -> str:
    entries = [f'  "key_{number}": {chance.random()}' for number in range(lines - 2)]
    if named:
        entries[0] = '  "query": "SELECT data_type FROM entity_facts"'
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _markdown(chance: random.Random, lines: int, named: bool) -> str:
    paragraphs = [
        f"The step {number} takes {chance.random()} of what is left.\n\n"
        for number in range(lines // 2)
    ]
    if named:
        paragraphs.append("```sql\nSELECT data_type FROM entity_facts;\n```\n")
    return "".join(paragraphs)


_Make = Callable[[random.Random, int, bool], str]
_KINDS: Final[list[tuple[str, _Make]]] = [
    (".py", _python),
    (".sql", _sql),
    (".ts", _javascript),
    (".js", _javascript),
    (".sh", _shell),
    (".yaml", _yaml),
    (".json", _json),
    (".md", _markdown),
]
_WEIGHTS: Final = [40, 10, 10, 10, 5, 10, 5, 10]
