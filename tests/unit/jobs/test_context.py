"""How context shows what it found, and what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.context import (
    ContextResult,
    CurrentItem,
    DecisionItem,
    Item,
    ObligationItem,
    _fitting,
)
from memory_maintenance.render.json import render_json
from memory_maintenance.render.text import render_text

AT = datetime(2026, 6, 1, tzinfo=UTC)
DECISION = DecisionItem(
    id=1,
    key="database",
    decided="PostgreSQL",
    reasoning="one server *for all*",
    alternatives=("SQLite", "files"),
    decided_by="Ana",
    decided_at="2026-01-05T09:00:00Z",
    do_not_reopen=True,
    entity_id=None,
    importance=9,
)
OVERDUE = ObligationItem(2, "call", "Ana", datetime(2026, 5, 16, tzinfo=UTC), -16 * 86400, 7, 5)
UPCOMING = ObligationItem(3, "", "Present", datetime(2026, 6, 1, 12, tzinfo=UTC), 43200, None, 5)
MOOD = CurrentItem(4, "mood", "glad", 0.5, None, 3)
FOUND: Sequence[tuple[str, Item]] = [
    ("decisions", DECISION),
    ("overdue", OVERDUE),
    ("upcoming", UPCOMING),
    ("current", MOOD),
]
TOTALS = {"decisions": 1, "overdue": 1, "upcoming": 1, "current": 1}


def fitting(
    max_chars: int, found: Sequence[tuple[str, Item]] = FOUND, **totals: int
) -> ContextResult:
    """What of it fits into so many characters of markdown."""
    empty = ContextResult(
        command="context",
        as_of=AT,
        max_chars=max_chars,
        due_within_s=1209600.0,
        entity=None,
        viewer=None,
        include_private=False,
        left_out={},
    )
    return _fitting(empty, found, {**TOTALS, **totals}, lambda result: len(render_text(result)))


WHOLE = """\
# What stands at 2026-06-01T00:00:00Z

## Decisions

- (1) database: PostgreSQL — Why: one server \\*for all\\* — Not: SQLite; files (Ana, 2026-01-05T09:00:00Z)

## Overdue obligations

- (2, entity 7) call: Ana (due 2026-05-16T00:00:00Z, 16 d ago)

## Upcoming obligations

- (3) Present (due 2026-06-01T12:00:00Z, in 12.0 h)

## States and moods

- (4) mood: glad (confidence 0.50)
"""


def test_what_stands_is_shown_as_markdown() -> None:
    result = fitting(4000)
    assert render_text(result) == WHOLE
    assert render_text(result, width=20) == WHOLE
    assert set(result.left_out.values()) == {0}


def test_all_of_it_may_take_all_the_room() -> None:
    assert render_text(fitting(len(WHOLE))) == WHOLE


def test_the_least_important_is_left_out_first_and_counted() -> None:
    result = fitting(len(WHOLE) - 1)
    text = render_text(result)
    assert len(text) < len(WHOLE)
    assert (result.decisions, result.overdue, result.current) == ((DECISION,), (OVERDUE,), ())
    assert "Left out for want of room: 1 states and moods." in text


@pytest.mark.parametrize("max_chars", range(160, len(WHOLE) + 10))
def test_no_more_is_printed_than_asked_for(max_chars: int) -> None:
    result = fitting(max_chars)
    assert len(render_text(result)) <= max_chars
    shown = [*result.decisions, *result.overdue, *result.upcoming, *result.current]
    assert shown == [item for _, item in FOUND[: len(shown)]]
    assert sum(result.left_out.values()) == len(FOUND) - len(shown)


def test_room_for_nothing_is_refused_with_what_is_needed() -> None:
    with pytest.raises(UsageError, match="10 characters hold nothing") as caught:
        fitting(10)
    needed = int(str(caught.value.remedy).split()[1])
    assert len(render_text(fitting(needed))) == needed


def test_more_than_was_read_is_counted_too() -> None:
    assert fitting(4000, current=1001).left_out == {
        "decisions": 0,
        "overdue": 0,
        "upcoming": 0,
        "current": 1000,
    }


def test_nothing_is_said_to_be_nothing() -> None:
    nothing = dict.fromkeys(TOTALS, 0)
    assert (
        fitting(100, [], **nothing).markdown()
        == "# What stands at 2026-06-01T00:00:00Z\n\nNothing."
    )


def test_a_decision_without_reasoning_shows_that_it_lacks_it() -> None:
    bare = DecisionItem(5, "", "x", None, (), None, None, False, None, 5)
    assert bare.line() == "(5) x — Why: ? (open to change)"


def test_json_has_the_same_items() -> None:
    document = json.loads(render_json(fitting(4000)))
    assert document["duration_s"] == 0
    assert document["overdue"] == [
        {
            "id": 2,
            "key": "call",
            "value": "Ana",
            "deadline": "2026-05-16T00:00:00+00:00",
            "due_in_s": -1382400,
            "entity_id": 7,
            "importance": 5,
        }
    ]
