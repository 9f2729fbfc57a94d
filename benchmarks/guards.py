"""What the guards cost a single-row write: prepared statements, with the guards and without, in turn.

Beside data_type, where the mapping's triggers look as well, and after contract, where ours are the only ones.
The guards alone are switched off and on; the mapping stays. Each block is one transaction: commits, the same
with and without, would hide the difference. A round is a block with and a block without, one right after the
other and in turn: the ratio is the median of the rounds'. Beside the time that the client waits there is the
processor time of the server's process, which a busy machine disturbs less.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Server, median_and_range, serving

_STATEMENTS: Final = 2000
_ROUNDS: Final = 20
_GUARDS: Final = """
SELECT tgname FROM pg_trigger
WHERE tgrelid = 'entity_facts'::regclass AND tgname ~ '^memory_maintenance_[24]0_' ORDER BY 1
"""
_PREPARATION: Final = (
    "DROP VIEW delegation_knowledge",
    "DROP FUNCTION merge_facts(integer, integer)",
    "DROP FUNCTION purge_entity_facts_archive()",
    "DROP TABLE entity_facts_archive CASCADE",
    "ALTER TABLE entity_facts ADD COLUMN IF NOT EXISTS extraction_count integer DEFAULT 1",
)
_WRITES: Final[Mapping[str, str]] = {
    "UPDATE confidence": "UPDATE entity_facts SET confidence = %s WHERE id = %s",
    "reinforce (last_confirmed_at, extraction_count, updated_at)": (
        "UPDATE entity_facts SET last_confirmed_at = now() + %s * interval '1 s',"
        " extraction_count = extraction_count + 1, updated_at = now() WHERE id = %s"
    ),
    "UPDATE value": "UPDATE entity_facts SET value = 'said ' || %s::text WHERE id = %s",
    "UPDATE durability, category": (
        "UPDATE entity_facts SET durability = 'long_term', category = 'fact ' || %s::text WHERE id = %s"
    ),
    "INSERT": (
        "INSERT INTO entity_facts (key, value, confidence, durability, category)"
        " SELECT 'note', 'said', %s::float8, 'long_term', 'observation' WHERE %s > 0"
    ),
}


def run(*, rows: int, repeat: int) -> None:
    """Prints a table for each form of the facts. rows: facts; repeat: times 20 rounds."""
    console = Console(width=140)
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder, serving(Path(folder)) as server:
        server.command("legacy", "demo", "--rows", str(rows))
        with server.connect("legacy") as connection:
            for statement in _PREPARATION:
                connection.execute(statement.encode())
        server.command("legacy", "migrate-types")
        server.copy("legacy", "contracted")
        server.command("contracted", "migrate-types", "--phase", "contract", "--force")
        console.print(f"PostgreSQL {server.version}, {rows:,} facts")
        for database, title in (
            ("legacy", "Beside data_type"),
            ("contracted", "After contract"),
        ):
            console.print(_measured(server, database, title, rows, repeat * _ROUNDS))


def _measured(server: Server, database: str, title: str, rows: int, rounds: int) -> Table:
    keys = random.Random(1)
    table = Table(title=title, title_justify="left")
    for name in (
        *("", "with, us", "range", "without, us", "range", "ratio", "middle half"),
        *("server CPU", "middle half"),
    ):
        table.add_column(name, justify="left" if not name else "right")
    with server.connect(database) as connection:
        connection.execute("VACUUM (ANALYZE) entity_facts")
        guards = [name for (name,) in connection.execute(_GUARDS).fetchall()]
        assert guards

        def switch(to: str) -> None:
            each = ", ".join(f"{to} TRIGGER {name}" for name in guards)
            connection.execute(f"ALTER TABLE entity_facts {each}".encode())

        for label, statement in _WRITES.items():
            table.add_row(
                label,
                *_priced(
                    connection,
                    statement,
                    lambda: (keys.random(), keys.randint(1, rows)),
                    switch,
                    rounds,
                ),
            )
        switch("ENABLE")
    table.caption = (
        f"microseconds a statement as the client sees them, medians of {rounds} blocks of {_STATEMENTS:,}; "
        "ratio: median of the rounds', with the middle half of them"
    )
    return table


def _priced(
    connection: psycopg.Connection[Any],
    statement: str,
    draw: Callable[[], tuple[Any, ...]],
    switch: Callable[[str], None],
    rounds: int,
) -> tuple[str, ...]:
    waited: dict[bool, list[float]] = {True: [], False: []}
    worked: dict[bool, list[float]] = {True: [], False: []}
    for number in range(rounds):
        for guarded in (True, False) if number % 2 else (False, True):
            switch("ENABLE" if guarded else "DISABLE")
            began_ns = _processor_ns(connection)
            waited[guarded].append(_block(connection, statement, draw) * 1e6 / _STATEMENTS)
            worked[guarded].append(_processor_ns(connection) - began_ns)
    return (
        *median_and_range(waited[True], 0),
        *median_and_range(waited[False], 0),
        *_ratio(waited[True], waited[False]),
        *_ratio(worked[True], worked[False]),
    )


def _ratio(ours: list[float], theirs: list[float]) -> tuple[str, str]:
    """The median of the rounds' ratios, and the middle half of them."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.3f}", f"{low:.3f}-{high:.3f}"


def _processor_ns(connection: psycopg.Connection[Any]) -> float:
    """What the server's process has had of the processor, by Linux's account."""
    account = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text()
    return float(account.split()[0])


def _block(
    connection: psycopg.Connection[Any], statement: str, draw: Callable[[], tuple[Any, ...]]
) -> float:
    """Seconds of a block, after the plan has been made anew."""
    with connection.transaction():
        for _ in range(20):
            connection.execute(statement.encode(), draw(), prepare=True)
        drawn = [draw() for _ in range(_STATEMENTS)]
        began = time.monotonic()
        for values in drawn:
            connection.execute(statement.encode(), values, prepare=True)
        return time.monotonic() - began
