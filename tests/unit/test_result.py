"""A result's JSON keys, its outcome, and what it still says under -q."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

import pytest

from memory_maintenance.model.result import Block, Heading, Note, Outcome, Result, plain


@dataclass(frozen=True, slots=True)
class Change:
    changed: int
    private: str = field(default="x", metadata={"json": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decayed(Result):
    examined: int = 0
    confidence: Change = Change(0)
    steps: tuple[Result, ...] = ()
    hidden: str = field(default="x", metadata={"json": False})

    def blocks(self) -> Sequence[Block]:
        return (
            Heading("Decay"),
            Note("all well"),
            Note("try report", "hint"),
            Note("bad", "problem"),
        )


def test_the_envelope_comes_first_and_the_duration_last() -> None:
    document = Decayed(command="decay", examined=3, confidence=Change(2), duration_s=0.5).document()
    assert list(document) == [
        "command", "dry_run", "as_of", "table", "run_id", "examined", "confidence", "steps",
        "duration_s",
    ]  # fmt: skip
    assert document["confidence"] == {"changed": 2}


def test_a_result_within_a_result_is_its_document() -> None:
    inner = Decayed(command="decay", run_id=7)
    assert Decayed(command="run", steps=(inner,)).document()["steps"] == [inner.document()]


def test_a_result_is_done_unless_it_says_otherwise() -> None:
    assert Decayed(command="decay").outcome is Outcome.DONE
    assert (Outcome.DONE.value, Outcome.FINDINGS.value) == (0, 1)


def test_quiet_leaves_problems_only() -> None:
    assert Decayed(command="decay").quiet_blocks() == (Note("bad", "problem"),)


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        (float("nan"), None),
        (float("-inf"), None),
        ("text", "text"),
        (datetime(2026, 6, 1, tzinfo=UTC), "2026-06-01T00:00:00+00:00"),
        (timedelta(hours=36), 129600.0),
        (Colour.RED, "red"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("/etc"), "/etc"),
        ({1: (0.5, float("inf"))}, {"1": [0.5, None]}),
        (Change(1), {"changed": 1}),
    ],
)
def test_values_become_what_json_has(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_a_value_without_a_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON form for object"):
        plain(object())
