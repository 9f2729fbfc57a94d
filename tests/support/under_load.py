"""A migration forward and back while writers are at work, and what must have become of each fact.

Expected facts are worked out here from the writers' logs by the map and the way back of spec 1, in Python.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg

from memory_maintenance.database.session import open_session
from memory_maintenance.database.target import resolve
from memory_maintenance.engine.run import Emit, silent
from memory_maintenance.migration.migrate import MigrateOptions, PhaseName, migrate
from memory_maintenance.migration.rollback import DROPPING
from memory_maintenance.model.result import Outcome
from tests.support.migration import configuration
from tests.support.writers import UNSAID, Log, Style, Wait, Write, writing

Axes = tuple[str, str]

STYLES: Final[tuple[Style, ...]] = ("old", "old", "new", "new")
BEFORE_THE_AXES_GO: Final = "before the axes go"

_MAP: Final[Mapping[str | None, Axes]] = {
    "permanent": ("permanent", "identity"),
    "identity": ("permanent", "identity"),
    "preference": ("long_term", "preference"),
    "observation": ("long_term", "observation"),
    "temporal": ("short_term", "state"),
    None: ("long_term", "observation"),
}
_DEFAULT: Final = "observation"


@dataclass(frozen=True, slots=True)
class Stored:
    """A fact as it is in the table. axes: None where the table has none."""

    data_type: str | None
    axes: Axes | None
    value: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be there. former: the data_type that it had before anybody wrote, which may be there again
    where the map takes it to the axes: contract may have kept it aside."""

    data_type: str | None
    axes: Axes
    value: str
    former: str | None

    def complaint(self, found: Stored) -> str | None:
        """What is wrong with what was found."""
        allowed = {self.data_type}
        if _MAP[self.former] == self.axes:
            allowed.add(self.former)
        if found.data_type not in allowed:
            return f"data_type is {found.data_type}, not {self.data_type} ({self.axes})"
        if found.axes is not None and found.axes != self.axes:
            return f"axes are {found.axes}, not {self.axes}"
        if found.value != self.value:
            return f"value is {found.value!r}, not {self.value!r}"
        return None


def way_back(axes: Axes, own: str | None) -> str | None:
    """The data_type that old readers see for a fact with these axes, which had this one."""
    if _MAP[own] == axes:
        return own
    durability, category = axes
    if durability == "permanent":
        return "permanent"
    if durability in ("short_term", "ephemeral"):
        return "temporal"
    return "preference" if category == "preference" else "observation"


def after(fact: Expected | None, writes: Sequence[Write]) -> Expected | None:
    """What has become of a fact; None where it is gone, or wasn't there."""
    for write in writes:
        if write.what == "delete":
            fact = None
            continue
        if write.what == "insert":
            assert write.value is not None
            fact = Expected(_DEFAULT, _MAP[_DEFAULT], write.value, _DEFAULT)
        assert fact is not None
        data_type, axes = fact.data_type, fact.axes
        if write.data_type != UNSAID and write.data_type != data_type:
            data_type, axes = write.data_type, _MAP[write.data_type]
        axes = (write.durability or axes[0], write.category or axes[1])
        value = fact.value if write.value is None else write.value
        fact = Expected(way_back(axes, data_type), axes, value, fact.former)
    return fact


def wrong(
    conn: psycopg.Connection[Any], before: Mapping[int, Stored], logs: Sequence[Log]
) -> list[str]:
    """What is wrong with the facts, against what was there before and what the writers wrote since."""
    writes = {fact: wrote for log in logs for fact, wrote in log.writes.items()}
    assert len(writes) == sum(len(log.writes) for log in logs), "two writers wrote the same fact"
    missing = set(before) | set(writes)
    complaints = []
    for key, found in stored(conn):
        missing.discard(key)
        former = before.get(key)
        fact = None
        if former is not None:
            axes = _MAP[former.data_type]
            fact = Expected(former.data_type, axes, former.value, former.data_type)
        fact = after(fact, writes.get(key, ()))
        complaint = "it should be gone" if fact is None else fact.complaint(found)
        if complaint:
            complaints.append(f"fact {key}: {complaint}; written: {writes.get(key, ())}")
    complaints += [
        f"fact {key} is lost; written: {writes.get(key, ())}"
        for key in sorted(missing)
        if key not in writes or writes[key][-1].what != "delete"
    ]
    return complaints


def stored(conn: psycopg.Connection[Any]) -> Iterator[tuple[int, Stored]]:
    """All facts by key."""
    columns = {
        name
        for (name,) in conn.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'public.entity_facts'::regclass"
            " AND attnum > 0 AND NOT attisdropped"
        )
    }
    axes = "durability, category" if {"durability", "category"} <= columns else "NULL, NULL"
    with conn.transaction(), conn.cursor("facts") as cursor:
        cursor.itersize = 20_000
        statement = f"SELECT id, data_type, value, {axes} FROM public.entity_facts ORDER BY id"
        for key, data_type, value, durability, category in cursor.execute(statement.encode()):
            known = None if durability is None else (durability, category)
            yield key, Stored(data_type, known, value)


@dataclass(slots=True)
class Story:
    """What happened. seconds: of each phase. wrong: complaints of the three times that all facts were
    compared: while both columns lived, after rollback, after going forward again."""

    seconds: dict[str, float] = field(default_factory=dict)
    phases: list[str] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    @property
    def failures(self) -> list[str]:
        """The errors that writers saw, each with its phase."""
        return [
            f"{self.phases[f.phase]}, {log.style} {log.number}, {f.kind}: {f.sqlstate} {f.message}"
            for log in self.logs
            for f in log.failures
        ]

    def statements(self, phase: str, style: Style | None = None) -> int:
        """How many statements the writers began in a phase."""
        number = self.phases.index(phase)
        return sum(log.statements.get(number, 0) for log in self.logs if style in (None, log.style))

    def waits(self, phase: str) -> list[Wait]:
        """The longest ones of a phase, longest first."""
        number = self.phases.index(phase)
        return sorted((w for log in self.logs for w in log.worst.get(number, ())), reverse=True)

    @property
    def worst(self) -> str:
        """The longest wait of all, in words."""
        seconds, phase, kind = max(
            (w.seconds, phase, w.kind) for phase in self.phases for w in self.waits(phase)[:1]
        )
        return f"the worst wait was {seconds * 1000:.0f} ms, for an {kind!r} in {phase}"


def forward_and_back(dsn: str, rows: int, *, pace: int, accept: tuple[str, ...]) -> Story:
    """expand, backfill and verify with all writers, contract and rollback with the new-style ones, and
    forward again with none.

    rows: the table holds the facts 1 to rows. pace: how many statements each writer has done, at least,
    before, between and after the phases. accept: what contract is to let through.
    """
    story = Story()
    conn = psycopg.connect(dsn, autocommit=True)
    with conn:
        before = dict(stored(conn))
        assert set(before) == set(range(1, rows + 1))
        with writing(dsn, STYLES, rows, "before") as writers:
            story.phases = writers.phases

            def emit(_done: int, _known: int | None, what: str) -> None:
                if what == DROPPING and BEFORE_THE_AXES_GO not in story.wrong:
                    writers.stop("new")
                    story.wrong[BEFORE_THE_AXES_GO] = wrong(conn, before, writers.logs)

            def phase(name: PhaseName, **options: Any) -> None:
                writers.enter(name)
                began = time.monotonic()
                migrate_types(dsn, MigrateOptions(phase=name, **options), emit)
                story.seconds[name] = time.monotonic() - began
                if name != "rollback":
                    writers.enter(f"after {name}")
                    writers.see_through(pace, "new")

            writers.see_through(pace, "old")
            phase("expand")
            writers.see_through(pace, "old")
            phase("backfill")
            phase("verify")
            writers.stop("old")
            phase("contract", force=True, keep_dependents=True, accept=accept)
            phase("rollback")
            story.logs = writers.logs
        assert story.wrong, f"rollback never said {DROPPING!r}"
        story.wrong["after rollback"] = wrong(conn, before, story.logs)
        migrate_types(dsn, MigrateOptions(), silent)
        story.wrong["forward again"] = wrong(conn, before, story.logs)
    return story


def migrate_types(dsn: str, options: MigrateOptions, emit: Emit) -> None:
    """One call of migrate-types, which must have nothing to complain of."""
    loaded = configuration()
    target = resolve(dsn=dsn, environ={}, settings_dsn=None, home=Path("/nonexistent"))
    name = "memory-maintenance migrate-types"
    with open_session(target, loaded.settings.database, application_name=name) as session:
        as_of = session.clock()
        result = migrate(session, loaded, options, as_of=as_of, dry_run=False, emit=emit)
    assert result.outcome is Outcome.DONE, result
