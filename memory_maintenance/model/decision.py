"""A decision as it is recorded (spec 6): what must be said of one, read from outside and checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memory_maintenance.errors import UsageError
from memory_maintenance.model.instants import iso, parse_instant
from memory_maintenance.model.one_line import is_blank
from memory_maintenance.model.storable import is_storable

REQUIRED: Final = ("decided", "alternatives", "reasoning", "decided_by", "decided_at")
"""The members of data.decision."""

LONGEST_DOCUMENT: Final = 1_000_000
"""Bytes of a JSON document that are read."""

_MOST_DIGITS: Final = 40
"""More than any key or importance has."""

_AHEAD: Final = timedelta(days=1)
"""How far clocks may differ."""

_EXAMPLE: Final = (
    '{"decided": "...", "alternatives": ["..."], "reasoning": "...", "decided_by": "...", '
    '"decided_at": "2026-06-01T12:00:00Z"}'
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, what else there was, why, by whom and when. decided_at: aware."""

    decided: str
    alternatives: tuple[str, ...]
    reasoning: str
    decided_by: str
    decided_at: datetime

    def document(self) -> dict[str, Any]:
        """As data.decision holds it."""
        return {
            "decided": self.decided,
            "alternatives": list(self.alternatives),
            "reasoning": self.reasoning,
            "decided_by": self.decided_by,
            "decided_at": iso(self.decided_at),
        }


@dataclass(frozen=True, slots=True)
class NewDecision:
    """A decision and the fact that will hold it; None where the default is wanted.

    entity: a key as text. importance: 1 to 10. visibility: public, trusted or private.
    """

    decision: Decision
    entity: str | None = None
    key: str | None = None
    value: str | None = None
    importance: int | None = None
    visibility: str | None = None


def parse_document(text: bytes) -> Mapping[str, Any]:
    """The JSON object that text is. Raises UsageError for anything else, and for a member given twice."""
    remedy = f"a JSON object such as {_EXAMPLE}"
    if len(text) > LONGEST_DOCUMENT:
        raise UsageError(f"the document has more than {LONGEST_DOCUMENT:,} bytes", remedy=remedy)
    try:
        found = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_int=_integer,
        )
    except UnicodeDecodeError:
        raise UsageError("the document isn't UTF-8", remedy=remedy) from None
    except json.JSONDecodeError as error:
        raise UsageError(
            f"the document is no JSON: {error.msg} in line {error.lineno}", remedy=remedy
        ) from None
    except (ValueError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UsageError(f"the document is no decision: {what}", remedy=remedy) from None
    if not isinstance(found, dict):
        raise UsageError("the document is no JSON object", remedy=remedy)
    return found


def read_decision(
    members: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> NewDecision:
    """The decision that members say: those of REQUIRED, and entity_id, key, value, importance, visibility.

    names: what the caller calls a member, for messages. Raises UsageError with all that is wrong.
    """
    try:
        read = _Document.model_validate(dict(members))
    except ValidationError as error:
        wrong = "; ".join(_complaints(error, names or {}))
        raise UsageError(
            f"the decision can't be recorded: {wrong}",
            remedy=f"all of {', '.join(REQUIRED)} are needed, such as {_EXAMPLE}",
        ) from None
    decision = Decision(
        read.decided, tuple(read.alternatives), read.reasoning, read.decided_by, read.decided_at
    )
    return NewDecision(
        decision, read.entity_id, read.key, read.value, read.importance, read.visibility
    )


def require_past(decision: Decision, now: datetime) -> None:
    """Raises UsageError for a decision that was not taken yet. now: aware; clocks may differ by a day."""
    if decision.decided_at - now > _AHEAD:
        raise UsageError(
            f"decided_at is in the future: {iso(decision.decided_at)}, and now it is {iso(now)}",
            remedy="record a decision once it is taken",
        )


def _said(text: str) -> str:
    if is_blank(text):
        raise ValueError("is blank")
    if not is_storable(text):
        raise ValueError("holds a character that PostgreSQL can't store")
    return text.strip()


def _key(value: Any) -> Any:
    # A number in JSON, text in an option.
    return str(value) if type(value) is int else value


def _instant(value: Any) -> Any:
    return parse_instant(value) if isinstance(value, str) else value


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("has no zone")
    return value


_Text = Annotated[str, AfterValidator(_said)]
_Key = Annotated[str, BeforeValidator(_key), AfterValidator(_said)]
_Instant = Annotated[datetime, BeforeValidator(_instant), AfterValidator(_aware)]


class _Document(BaseModel):
    """The edge: what comes from options or from stdin."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    decided: _Text
    alternatives: list[_Text] = Field(max_length=1000)
    reasoning: _Text
    decided_by: _Text
    decided_at: _Instant
    entity_id: _Key | None = None
    key: _Text | None = None
    value: _Text | None = None
    importance: Annotated[int, Field(ge=1, le=10)] | None = None
    visibility: Literal["public", "trusted", "private"] | None = None


def _complaints(error: ValidationError, names: Mapping[str, str]) -> Sequence[str]:
    """One a member, in our words where pydantic's would be about Python; what was given is not repeated,
    but for an instant."""
    found: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_input=False):
        member = str(problem["loc"][0])
        words = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            words = "is missing"
        elif problem["type"] == "extra_forbidden":
            words = "is unknown"
        elif not words.startswith(("is ", "has ", "holds ")):
            words = f"is wrong: {words[0].lower()}{words[1:]}"
        place = next((f" ({n + 1})" for n in problem["loc"][1:2] if isinstance(n, int)), "")
        name = names.get(member, member) if member in _Document.model_fields else repr(member)
        found.setdefault(member, f"{name}{place} {words}")
    return list(found.values())


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"it has a number of {len(text):,} characters, more than {_MOST_DIGITS}")
    return int(text)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")
