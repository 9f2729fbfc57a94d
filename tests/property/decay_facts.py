"""Random facts, policies and instants for the properties of decay, and a table to hold them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from hypothesis import settings
from hypothesis import strategies as st
from psycopg import sql

from memory_maintenance.config.durations import format_duration
from tests.support.maintenance import AS_OF
from tests.support.reference import At, Fact, as_real, instant, micros
from tests.support.server import Connection

NOW: Final = micros(AS_OF)
ZONE: Final = "Etc/GMT-14"
"""The default zone of the table's database. It is at +14:00, always: a region's offset has a history."""

_ZONE_US: Final = 14 * 60 * 60 * 1_000_000
_HOUR: Final = 3_600_000_000
_DAY: Final = 24 * _HOUR
_CENTURY: Final = 36_525 * _DAY
_IN_DATA: Final = ("status", "settled_at")
_COLUMNS: Final = tuple(
    field.name for field in dataclasses.fields(Fact) if field.name not in _IN_DATA
)
_INSTANTS: Final = {
    "confidence_anchor_at",
    "last_confirmed_at",
    "learned_at",
    "last_accessed_at",
    "expires",
}


def examples(everyday: int) -> settings:
    """So many examples under the default profile, as each takes a tenth of a second and more; eighty times as
    many under that of `make torture`."""
    most = settings().max_examples
    return settings(max_examples=everyday if most <= 50 else everyday * most // 25)


# -- what is drawn --

spans = st.one_of(
    st.integers(0, _HOUR),
    st.integers(0, 30 * _DAY),
    st.integers(0, 30).map(lambda days: days * _DAY),
    st.integers(0, _CENTURY),
)
past = spans.map(lambda span: NOW - span)
clocks = st.one_of(st.none(), past, past, past, spans.map(lambda span: NOW + span))
deadlines = st.one_of(
    st.none(), st.none(), past, st.just(NOW), spans.map(lambda span: NOW + span), st.just(math.inf)
)
statuses = st.sampled_from([None, None, "open", "overdue", "done", "cancelled", "missed"])
fractions = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.4, 0.1, 1e-300, 2.0**-1000, 5e-324])
)
rates = st.one_of(
    st.none(),
    st.none(),
    st.just(0.0),
    st.floats(-30, 30).map(lambda exponent: as_real(10.0**exponent)),
    st.floats(0.001, 2).map(as_real),
)
durabilities = st.sampled_from(["permanent", "long_term", "short_term", "ephemeral"])
categories = st.sampled_from(
    ["observation", "preference", "identity", "decision", "routine", "state", "obligation", "own"]
)
axes = st.one_of(
    st.tuples(durabilities, categories),
    st.tuples(durabilities, categories),
    st.tuples(st.sampled_from(["ephemeral", "short_term"]), st.just("mood")),
    st.tuples(durabilities, st.just("obligation")),
)


@st.composite
def new_facts(draw: st.DrawFn) -> Fact:
    """A fact as a writer leaves it, which no run has seen."""
    durability, category = draw(axes)
    status = draw(statuses) if category == "obligation" else None
    return Fact(
        status=status,
        settled_at=None if status is None else draw(st.none() | clocks),
        durability=durability,
        category=category,
        confidence=draw(st.one_of(st.none(), fractions, fractions, fractions)),
        decay_rate=draw(rates),
        last_confirmed_at=draw(clocks),
        learned_at=draw(clocks),
        last_accessed_at=draw(clocks),
        expires=draw(deadlines),
        importance=draw(st.integers(1, 10)),
        pinned=draw(st.integers(0, 9)) == 0,
    )


@st.composite
def any_facts(draw: st.DrawFn) -> Fact:
    """A fact in any state: new, seen by runs, written since, or with something wrong."""
    fact = draw(new_facts())
    match draw(st.sampled_from(["new", "seen", "written", "base lost", "wrong"])):
        case "seen":
            fact.confidence_base = draw(fractions)
            fact.confidence_anchor_at = draw(past)
            fact.confidence_written = fact.confidence
            fact.effective_importance = draw(st.none() | st.integers(1, 10))
        case "written":
            fact.confidence_base = draw(fractions)
            fact.confidence_anchor_at = draw(past)
            fact.confidence_written = draw(st.none() | fractions)
        case "base lost":
            fact.confidence_anchor_at = draw(st.none() | past)
            fact.confidence_written = draw(st.none() | fractions)
        case "wrong":
            _spoil(draw, fact)
    return fact


def _spoil(draw: st.DrawFn, fact: Fact) -> None:
    clock = draw(st.sampled_from([-math.inf, math.inf]))
    column, value = draw(
        st.sampled_from(
            [
                ("durability", "eternal"),
                ("confidence", math.nan),
                ("confidence", 1.5),
                ("confidence", -1e-9),
                ("confidence_base", math.nan),
                ("confidence_base", 2.0),
                ("confidence_anchor_at", clock),
                ("decay_rate", -1.0),
                ("decay_rate", math.nan),
                ("last_confirmed_at", clock),
                ("learned_at", clock),
                ("last_accessed_at", clock),
            ]
        )
    )
    setattr(fact, column, value)


def tables(of: st.SearchStrategy[Fact], rows: int = 30) -> st.SearchStrategy[dict[int, Fact]]:
    """A table of up to so many facts, by id."""
    return st.lists(of, min_size=1, max_size=rows).map(lambda facts: dict(enumerate(facts, 1)))


half_lives = st.one_of(
    st.just("never"),
    st.just("1s"),
    st.just("36h"),
    st.integers(1, 10**6).map(lambda hours: format_duration(timedelta(hours=hours))),
    st.integers(10**6, 10**12).map(lambda us: format_duration(timedelta(microseconds=us))),
)
shapes = st.one_of(st.just(1.0), st.sampled_from([0.1, 0.5, 2.0, 10.0]), st.floats(0.1, 10))
_curves = st.fixed_dictionaries({"half_life": half_lives, "shape": shapes})
Document = dict[str, Any]
"""Sections of a configuration file."""

_names = ["permanent", "long_term", "short_term", "ephemeral"]


@st.composite
def policies(draw: st.DrawFn, min_delta: float | None = 0.0) -> Document:
    """Any policy, under adopt: history. min_delta None: any."""
    category: dict[str, Any] = draw(
        st.fixed_dictionaries({"mood": _curves}, optional={"own": _curves, "decision": _curves})
    )
    after = {
        "half_life": draw(half_lives),
        "grace": format_duration(timedelta(hours=draw(st.sampled_from([0, 1, 30])))),
    }
    chosen = draw(st.sampled_from([0.0, 0.01, 0.2, 0.5])) if min_delta is None else min_delta
    return {
        "durability": {name: draw(_curves) for name in _names},
        "category": {**category, "obligation": {"after_deadline": after}},
        "confidence": {"adopt": "history", "min_delta": chosen},
        "archive": {"threshold": draw(st.sampled_from([0.0, 0.1, 0.5]))},
        "importance": {
            "half_life": draw(half_lives),
            "shape": draw(shapes),
            "clock": draw(st.sampled_from(["confirmed", "accessed"])),
            "access_boost": draw(
                st.sampled_from(
                    [
                        [{"factor": 0.7}],
                        [{"within": "3d", "factor": 1.0}, {"factor": 0.5}],
                        [
                            {"within": "1h", "factor": 1.0},
                            {"within": "7d", "factor": 0.8},
                            {"within": "365d", "factor": 0.6},
                            {"factor": 0.1},
                        ],
                    ]
                )
            ),
        },
    }


later = st.lists(st.integers(0, 400 * _DAY), min_size=1, max_size=4).map(sorted)
"""Microseconds after NOW, ascending."""


def at(offset_us: float) -> datetime:
    """The instant so long after NOW."""
    return instant(NOW + offset_us)


# -- the table --


def loosen(connection: Connection) -> None:
    """Take away what keeps bad values out, make the database's zone another than UTC, and let this
    connection write rows as they may be found, past all triggers."""
    connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_confidence")
    connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT IF EXISTS chk_durability")
    name = sql.Identifier(connection.info.dbname)
    connection.execute(
        sql.SQL("ALTER DATABASE {} SET TimeZone = {}").format(name, sql.Literal(ZONE))
    )
    connection.execute("SET session_replication_role = replica")


def fill(connection: Connection, facts: Mapping[int, Fact], table: str = "entity_facts") -> None:
    """Make these facts, by id, all that the table holds, and forget all runs."""
    name = sql.Identifier(table)
    with connection.transaction():
        connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(name))
        connection.execute("TRUNCATE memory_maintenance.run, memory_maintenance.adoption")
        add(connection, facts, table)


def add(connection: Connection, facts: Mapping[int, Fact], table: str = "entity_facts") -> None:
    """Insert facts by id."""
    columns = ("id", "key", "value", *_COLUMNS, "data")
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for key, fact in facts.items():
            cells = (as_text(column, getattr(fact, column)) for column in _COLUMNS)
            copy.write_row((str(key), "note", "text", *cells, _data(fact)))


def _data(fact: Fact) -> str | None:
    """What the column data says of an obligation."""
    if fact.status is None:
        return None
    known = {"status": fact.status}
    if fact.settled_at is not None:
        known["settled_at"] = instant(fact.settled_at).isoformat()
    return json.dumps({"obligation": known})


def as_text(column: str, value: Any) -> str | None:
    """A value of a fact as the column's input."""
    if value is None:
        return None
    if column not in _INSTANTS:
        return str(value)
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    if column == "learned_at":  # the only one without a zone
        return instant(value + _ZONE_US).replace(tzinfo=None).isoformat()
    return instant(value).isoformat()


Derived = tuple[float | None, float | None, At | None, float | None, int | None]


def derived(connection: Connection, table: str = "entity_facts") -> dict[int, Derived]:
    """What decay writes, by id: confidence, base, anchor, written, effective importance."""
    statement = sql.SQL(
        "SELECT id, confidence::float8, confidence_base,"
        " CASE WHEN isfinite(confidence_anchor_at)"
        " THEN (extract(epoch FROM confidence_anchor_at) * 1000000)::bigint"
        " ELSE date_part('epoch', confidence_anchor_at) END,"
        " confidence_written::float8, effective_importance FROM {} ORDER BY id"
    ).format(sql.Identifier(table))
    return {row[0]: tuple(row[1:]) for row in connection.execute(statement)}


def adopted_at(connection: Connection) -> At:
    """When the table was adopted."""
    found = connection.execute(
        "SELECT (extract(epoch FROM nullif(adopted_at, '-infinity')) * 1000000)::bigint"
        " FROM memory_maintenance.adoption"
    ).fetchone()
    assert found is not None
    return -math.inf if found[0] is None else int(found[0])


def expected(facts: Mapping[int, Fact]) -> dict[int, Derived]:
    """The same of the reference's facts."""
    return {
        key: (
            fact.confidence,
            fact.confidence_base,
            fact.confidence_anchor_at,
            fact.confidence_written,
            fact.effective_importance,
        )
        for key, fact in facts.items()
    }


def differences(
    found: Mapping[int, Derived], wanted: Mapping[int, Derived], tolerance: float = 1e-12
) -> list[str]:
    """Where two states differ: numbers by more than the tolerance, all else at all."""
    assert found.keys() == wanted.keys()
    return [
        f"fact {key}: {found[key]} is not {wanted[key]}"
        for key in found
        if not all(
            _near(a, b, tolerance if place != 2 else 0)
            for place, (a, b) in enumerate(zip(found[key], wanted[key], strict=True))
        )
    ]


def _near(a: float | None, b: float | None, tolerance: float) -> bool:
    if a is None or b is None:
        return a is b
    return a == b or abs(a - b) <= tolerance or (math.isnan(a) and math.isnan(b))


def confidences(states: Mapping[int, Derived]) -> Iterable[tuple[int, float]]:
    """Each fact's confidence, NULL read as 1."""
    return [(key, 1.0 if state[0] is None else state[0]) for key, state in states.items()]
