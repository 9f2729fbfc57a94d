"""What ``migrate-types`` costs: agents that write meanwhile, the machine, and each write until contract.

Under load: two old-style and two new-style writers at full speed (``tests/support/writers``), through
expand, backfill and verify; the new-style ones go on through contract and rollback. Their longest waits are
as they saw them, Python and a busy machine included: what they wait without us is told beside it. At the end
each fact is compared with what their logs say.

Quiet: the whole command, a process of its own, against one plain UPDATE that sets both axes of the same
facts, in a copy that has our columns, CHECKs and indexes already and no triggers. Each from a file copy of
the same database, after a CHECKPOINT.

Triggers: single-row statements, prepared, in blocks of one transaction each, with our triggers and without,
in turn. Without them an INSERT gets the axes from defaults, so that it writes the same index entries.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Server, Timed, median_and_range, serving
from tests.support.legacy import AGENT
from tests.support.under_load import Story, forward_and_back

_MERGE_FACTS: Final = "public.merge_facts(integer, integer)"
_PACE: Final = 1000
_BLOCKS: Final = 15
_STATEMENTS: Final = 2000
_PLAIN: Final = """
UPDATE entity_facts
SET durability = CASE
        WHEN data_type IN ('permanent', 'identity') THEN 'permanent'
        WHEN data_type = 'temporal' THEN 'short_term'
        ELSE 'long_term'
    END,
    category = CASE
        WHEN data_type IN ('permanent', 'identity') THEN 'identity'
        WHEN data_type = 'preference' THEN 'preference'
        WHEN data_type = 'temporal' THEN 'state'
        ELSE 'observation'
    END
"""
_TRIGGERS: Final = """
SELECT tgname FROM pg_trigger
WHERE tgrelid = 'entity_facts'::regclass AND NOT tgisinternal AND starts_with(tgname, 'memory_maintenance_')
"""
_WITHOUT: Final = """
ALTER TABLE entity_facts DISABLE TRIGGER USER,
    ALTER durability SET DEFAULT 'long_term', ALTER category SET DEFAULT 'observation'
"""
_WITH: Final = """
ALTER TABLE entity_facts ENABLE TRIGGER USER, ALTER durability DROP DEFAULT, ALTER category DROP DEFAULT
"""
_CONFIRM: Final = "UPDATE entity_facts SET confidence = %s, last_confirmed_at = now() WHERE id = %s"
_INSERT: Final = (
    "INSERT INTO entity_facts (entity_id, key, value, confidence) VALUES (NULL, 'note', %s, 0.9)"
)
_INSERT_TYPED: Final = "INSERT INTO entity_facts (key, value, data_type) VALUES ('note', %s, %s)"
_SET_TYPE: Final = "UPDATE entity_facts SET data_type = %s WHERE id = %s"


def run(*, rows: int, repeat: int) -> None:
    """Prints the tables. rows: facts; repeat: interleaved rounds of the quiet part."""
    console = Console(width=110)
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder:
        # Where agents write, autovacuum is at work; elsewhere it would disturb the measuring.
        with serving(Path(folder), autovacuum="on") as server:
            _prepare(server, rows)
            console.print(f"PostgreSQL {server.version}, {rows:,} facts")
            console.print(_under_load(server, rows))
        with serving(Path(folder)) as server:
            console.print(_quiet(server, repeat))
            console.print(_prices(server, rows))


def _prepare(server: Server, rows: int) -> None:
    server.command("legacy", "demo", "--rows", str(rows))
    with server.connect("legacy") as connection:
        connection.execute(f"CREATE ROLE {AGENT} NOLOGIN".encode())
        for grant in (
            "SELECT, INSERT, UPDATE, DELETE ON entity_facts",
            "SELECT ON delegation_knowledge",
            "USAGE ON ALL SEQUENCES IN SCHEMA public",
        ):
            connection.execute(f"GRANT {grant} TO {AGENT}".encode())
        connection.execute("VACUUM (FULL, ANALYZE) entity_facts")


def _under_load(server: Server, rows: int) -> Table:
    server.copy("legacy", "loaded")
    story = forward_and_back(server.dsn("loaded"), rows, pace=_PACE, accept=(_MERGE_FACTS,))
    table = Table(title="Under load, 4 writers at full speed", title_justify="left")
    table.add_column("")
    for name in ("seconds", "old-style", "new-style", "a second", "worst wait, ms", "of a"):
        table.add_column(name, justify="left" if name == "of a" else "right")
    for phase in ("before", "expand", "backfill", "verify", "contract", "rollback"):
        table.add_row(phase, *_of_phase(story, phase))
    between = [
        wait for name in story.phases if name.startswith("after") for wait in story.waits(name)
    ]
    worst = max(between)
    table.add_row("between the phases", "", "", "", "", f"{worst.seconds * 1e3:.0f}", worst.kind)
    wrong = {when: len(complaints) for when, complaints in story.wrong.items()}
    table.caption = (
        f"{sum(map(story.statements, story.phases)):,} statements, {len(story.failures)} errors. "
        f"{story.worst}. Facts that are not what the logs say: {wrong}"
    )
    for text in [*story.failures[:5], *(c for found in story.wrong.values() for c in found[:5])]:
        table.caption += f"\n{text}"
    return table


def _of_phase(story: Story, phase: str) -> Iterator[str]:
    seconds = story.seconds.get(phase)
    old, new = story.statements(phase, "old"), story.statements(phase, "new")
    yield "" if seconds is None else f"{seconds:.1f}"
    yield f"{old:,}"
    yield f"{new:,}"
    yield "" if seconds is None else f"{(old + new) / seconds:,.0f}"
    worst = story.waits(phase)[:1]
    yield f"{worst[0].seconds * 1e3:.0f}" if worst else ""
    yield worst[0].kind if worst else ""


def _quiet(server: Server, repeat: int) -> Table:
    server.copy("legacy", "expanded")
    server.command("expanded", "migrate-types", "--phase", "expand")
    with server.connect("expanded") as connection:
        for (name,) in connection.execute(_TRIGGERS).fetchall():
            connection.execute(f"DROP TRIGGER {name} ON entity_facts".encode())
    plain, phases, whole = Timed(), Timed(), Timed()
    starts: list[float] = []
    reported: list[float] = []
    for _ in range(repeat):
        server.copy("expanded", "plain")
        with server.connect("plain") as connection, plain.measuring(connection):
            connection.execute(_PLAIN)
        server.copy("legacy", "migrated")
        with server.connect("migrated") as connection, whole.measuring(connection):
            _, result = server.command("migrated", "migrate-types")
        reported.append(result["duration_s"])
        starts.append(server.command("migrated", "check-config", "--database")[0])
        server.copy("expanded", "migrated")
        with server.connect("migrated") as connection:
            server.command("migrated", "migrate-types", "--phase", "expand")  # triggers again
            with phases.measuring(connection):
                server.command("migrated", "migrate-types", "--phase", "backfill")
    table = Table(title=f"Quiet, medians of {repeat}, interleaved", title_justify="left")
    for name in ("", "seconds", "range", "x plain", "WAL MB"):
        table.add_column(name, justify="left" if not name else "right")
    for label, timed in (
        ("one plain UPDATE of both axes", plain),
        ("backfill (classify, validate, NOT NULL), with process start", phases),
        ("expand, backfill and verify, with process start", whole),
    ):
        table.add_row(
            label,
            *median_and_range(timed.seconds),
            timed.ratio(plain),
            f"{statistics.median(timed.wal) / 1e6:,.0f}",
        )
    table.add_row("process start, configuration, connecting", *median_and_range(starts))
    table.caption = (
        "the plain UPDATE finds columns, CHECKs and indexes there, and no triggers; the whole command also "
        f"builds the indexes and reads all facts for its counts ({statistics.median(reported):.2f} s of it "
        "are the run's own)"
    )
    return table


def _prices(server: Server, rows: int) -> Table:
    server.copy("legacy", "priced")
    server.command("priced", "migrate-types")
    keys, types = random.Random(1), random.Random(2)
    old = ("permanent", "identity", "preference", "temporal", "observation")
    table = Table(title="One write, with our triggers and without", title_justify="left")
    for name in ("", "with, us", "range", "without, us", "range", "difference", "ratio"):
        table.add_column(name, justify="left" if not name else "right")
    with server.connect("priced") as connection:
        connection.execute("VACUUM (ANALYZE) entity_facts")
        for label, statement, draw in (
            (
                "UPDATE confidence, last_confirmed_at",
                _CONFIRM,
                lambda: (keys.random(), keys.randint(1, rows)),
            ),
            ("INSERT naming neither", _INSERT, lambda: (f"value {keys.random()}",)),
            (
                "INSERT naming data_type",
                _INSERT_TYPED,
                lambda: (f"value {keys.random()}", types.choice(old)),
            ),
            (
                "UPDATE data_type (without: the axes go wrong)",
                _SET_TYPE,
                lambda: (types.choice(old), keys.randint(1, rows)),
            ),
        ):
            table.add_row(label, *_price(connection, statement, draw))
        connection.execute(_WITH)
    table.caption = (
        f"microseconds a statement as the client sees them, medians of {_BLOCKS} blocks of {_STATEMENTS:,}, "
        "each block one transaction: commits, the same with and without, would hide the difference"
    )
    return table


def _price(
    connection: psycopg.Connection[Any], statement: str, draw: Callable[[], tuple[Any, ...]]
) -> tuple[str, ...]:
    with_us: list[float] = []
    without: list[float] = []
    for block in range(2 * _BLOCKS):
        # Which goes first changes too: the table grows from block to block.
        ours = block % 4 in (0, 3)
        connection.execute(_WITH if ours else _WITHOUT)
        seconds = _block(connection, statement, draw)
        (with_us if ours else without).append(seconds * 1e6 / _STATEMENTS)
    more = statistics.median(with_us) - statistics.median(without)
    return (
        *median_and_range(with_us, 0),
        *median_and_range(without, 0),
        f"{more:+.0f}",
        f"{statistics.median(with_us) / statistics.median(without):.2f}",
    )


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
