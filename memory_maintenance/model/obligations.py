"""What an obligation is at an instant (spec 5): its deadline, its status, and what changes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, Final, Literal

from memory_maintenance.model.date_phrases import DayOrder
from memory_maintenance.model.deadlines import (
    LONGEST_TEXT,
    Ambiguous,
    Nothing,
    Reading,
    read_deadline,
)

SETTLED: Final = ("done", "cancelled", "missed")
Source = Literal["data.deadline", "value", "set"]


@dataclass(frozen=True, slots=True)
class Origin:
    """A reading and which text it comes from."""

    reading: Reading
    source: Source


@dataclass(frozen=True, slots=True)
class Step:
    """What a status becomes: members of data.obligation to set and to take away, and the events."""

    set: Mapping[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """A row of the event table. detail: before and after, and what else is useful."""

    kind: str
    detail: Mapping[str, Any]
    reason: str | None = None


def infer(
    deadline_text: str | None,
    value: str | None,
    *,
    learned_at: datetime | None,
    zone: tzinfo,
    day_order: DayOrder,
) -> Origin | Ambiguous | Nothing:
    """The deadline by data.deadline, else by the value. What data.deadline leaves open stays open."""
    texts: tuple[tuple[Source, str | None], ...] = (
        ("data.deadline", deadline_text),
        ("value", value),
    )
    for source, text in texts:
        if source == "data.deadline" and _is_structure(text):
            return Ambiguous("data.deadline is no text")
        found = read_deadline(
            text or "",
            learned_at=learned_at,
            zone=zone,
            day_order=day_order,
            past=source == "data.deadline",
        )
        if isinstance(found, Reading):
            return Origin(found, source)
        if isinstance(found, Ambiguous):
            return found
    return Nothing()


def _is_structure(text: str | None) -> bool:
    """Whether a member of data, as text, is a JSON object or array."""
    if text is None or text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return len(text) > LONGEST_TEXT  # cut off, hence not readable as JSON
    return True


def follow(status: str, overdue_at: str | None, deadline: str | None, *, past: bool) -> Step | None:
    """What the status becomes under a deadline; None where it is right.

    status: open or overdue. overdue_at: the deadline for which it is marked. deadline: as text, None for
    none; past: whether it has passed. A function of these alone: neither the schedule of runs nor a clock
    that went back changes where it ends. Only a deadline that moved is told as an event.
    """
    if past:
        assert deadline is not None
        if status == "overdue" and overdue_at == deadline:
            return None
        return Step(
            {"status": "overdue", "overdue_at": deadline},
            (),
            (
                Event(
                    "obligation-overdue",
                    {
                        "deadline": deadline,
                        "before": _status(status, overdue_at),
                        "after": _status("overdue", deadline),
                    },
                ),
            ),
        )
    if status != "overdue":
        return None
    drop = ("status", "overdue_at")
    if overdue_at is None or overdue_at == deadline:
        return Step({}, drop)  # the clock went back, the deadline didn't move
    return Step(
        {},
        drop,
        (
            Event(
                "obligation-reinstated",
                {
                    "deadline": deadline,
                    "before": _status(status, overdue_at),
                    "after": {"status": None, "overdue_at": None},
                },
            ),
        ),
    )


def _status(status: str, overdue_at: str | None) -> dict[str, str | None]:
    return {"status": None if status == "open" else status, "overdue_at": overdue_at}
