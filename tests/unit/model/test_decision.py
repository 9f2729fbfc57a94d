"""What must be said of a decision, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_maintenance.errors import UsageError
from memory_maintenance.model.decision import NewDecision, parse_document, read_decision

SAID = {
    "decided": "PostgreSQL",
    "alternatives": ["SQLite", "files"],
    "reasoning": "one server for all",
    "decided_by": "Ana",
    "decided_at": "2026-01-05T10:00:00+01:00",
}


def refused(members: dict[str, Any]) -> str:
    """What is said of members that are no decision."""
    with pytest.raises(UsageError) as caught:
        read_decision(members)
    return caught.value.message


def test_a_whole_decision_is_read() -> None:
    new = read_decision({**SAID, "entity_id": 7, "importance": 9, "visibility": "private"})
    assert new.decision.decided_at == datetime(2026, 1, 5, 9, tzinfo=UTC)
    assert new.decision.document() == {**SAID, "decided_at": "2026-01-05T09:00:00Z"}
    assert new == NewDecision(new.decision, "7", None, None, 9, "private")


def test_texts_lose_the_space_around_them() -> None:
    assert read_decision({**SAID, "decided": " x\n"}).decision.decided == "x"


def test_a_list_of_no_alternatives_says_that_there_were_none() -> None:
    assert read_decision({**SAID, "alternatives": []}).decision.alternatives == ()


@pytest.mark.parametrize("member", list(SAID))
def test_each_member_is_needed(member: str) -> None:
    rest = {name: value for name, value in SAID.items() if name != member}
    assert refused(rest) == f"the decision can't be recorded: {member} is missing"
    assert member in refused({**SAID, member: None})


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert refused({"decided": " ", "reasoning": "r", "decided_by": "I", "colour": 1}) == (
        "the decision can't be recorded: decided is blank; alternatives is missing; "
        "decided_at is missing; 'colour' is unknown"
    )


@pytest.mark.parametrize(
    ("member", "value", "complaint"),
    [
        ("reasoning", "\n", "reasoning is blank"),
        ("reasoning", "\u00a0\u200b", "reasoning is blank"),
        ("reasoning", "a\0b", "reasoning holds a character that PostgreSQL can't store"),
        ("decided_by", "\udc80", "decided_by holds a character that PostgreSQL can't store"),
        ("decided_by", 5, "decided_by is wrong: input should be a valid string"),
        ("alternatives", "SQLite", "alternatives is wrong: input should be a valid list"),
        ("alternatives", ["a", " "], "alternatives (2) is blank"),
        ("decided_at", "2026-01-05", "'2026-01-05' has no time of day"),
        ("decided_at", "2026-01-05T10:00", "'2026-01-05T10:00' has no zone"),
        ("decided_at", "yesterday", "'yesterday' is no instant"),
        ("decided_at", 5, "decided_at is wrong"),
        ("decided_at", datetime(2026, 1, 5), "decided_at has no zone"),  # noqa: DTZ001
        ("importance", 11, "importance is wrong: input should be less than or equal to 10"),
        ("importance", 0, "importance is wrong"),
        ("importance", True, "importance is wrong"),
        ("importance", 5.0, "importance is wrong"),
        ("visibility", "hidden", "visibility is wrong"),
        ("entity_id", "", "entity_id is blank"),
        ("key", "", "key is blank"),
    ],
)
def test_a_wrong_member_is_refused(member: str, value: Any, complaint: str) -> None:
    assert complaint in refused({**SAID, member: value})


def test_a_message_does_not_repeat_what_was_given() -> None:
    assert "hunter2" not in refused({**SAID, "reasoning": ["hunter2"], "importance": "hunter2"})


def test_a_message_uses_the_callers_names() -> None:
    with pytest.raises(UsageError, match=r"--decided-by is missing"):
        read_decision({}, {"decided_by": "--decided-by"})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b"\xff", "UTF-8"),
        (b'{"decided": "a", "decided": "b"}', "given twice"),
        (b'{"importance": NaN}', "NaN is no number"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * 1_000_001, "more than 1,000,000 bytes"),
        (b'{"importance": ' + b"1" * 5000 + b"}", "a number of 5,000 characters, more than 40"),
    ],
)
def test_what_is_no_document_is_refused(text: bytes, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_document(text)


def test_a_document_is_read_with_or_without_a_byte_order_mark() -> None:
    text = json.dumps(SAID).encode()
    assert parse_document(text) == parse_document(b"\xef\xbb\xbf" + text) == SAID
