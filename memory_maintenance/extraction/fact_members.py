"""The members of a fact as a model says them: checked, adjusted a little, or refused (spec 1, 4 to 7)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any, Final

from memory_maintenance.extraction.contract import (
    DECISION_MEMBERS,
    DEFAULT_ENTITY_TYPE,
    DURABILITIES,
    LONGEST_NAME,
    LONGEST_TYPE,
    MOOD_DURABILITIES,
    MOST_ALTERNATIVES,
    REQUIRED_MEMBERS,
)
from memory_maintenance.extraction.strict_json import Members, Number
from memory_maintenance.model.date_phrases import DayOrder
from memory_maintenance.model.deadlines import Ambiguous, Reading, read_deadline
from memory_maintenance.model.extracted import ExtractedFact
from memory_maintenance.model.instants import iso, parse_instant
from memory_maintenance.model.local_time import instants_of
from memory_maintenance.model.one_line import is_blank, one_line
from memory_maintenance.model.storable import is_storable

_NUMERAL: Final = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_WRITTEN: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number that is stored as text, however large."""
_LOCAL: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?"
)
_DURABILITY_NAMES: Final = frozenset(term.name for term in DURABILITIES)
_LONGEST_QUOTED: Final = 40
_AHEAD: Final = timedelta(days=1)
"""How far clocks may differ."""


class Refused(Exception):  # noqa: N818 - a fact that is refused is an outcome, no error
    """Why a fact is not taken."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a fact is read with. categories: those that are known. zone, day_order: of dates that don't say.
    as_of: aware, when it was said."""

    categories: tuple[str, ...]
    zone: tzinfo
    day_order: DayOrder
    as_of: datetime


@dataclass(slots=True)
class _Reading:
    said: Members
    around: Surroundings
    adjustments: list[str] = field(default_factory=list)


def read_fact(said: Members, around: Surroundings) -> tuple[ExtractedFact, tuple[str, ...]]:
    """The fact that members say, and what was changed so that it can be stored. Raises Refused."""
    reading = _Reading(said, around)
    _check_presence(said)
    name, kind = _entity(reading)
    category = _category(reading)
    fact = ExtractedFact(
        entity_name=name,
        entity_type=kind,
        key=_trimmed(reading, "key", LONGEST_NAME),
        value=_value(reading),
        durability=_durability(reading, category),
        category=category,
        importance=_importance(reading),
        confidence=_confidence(reading),
        deadline=_deadline(reading, category),
        decision=_decision(reading, category),
    )
    return fact, tuple(reading.adjustments)


def _check_presence(said: Members) -> None:
    wrong = []
    missing = [name for name in REQUIRED_MEMBERS if said.get(name) is None]
    if missing:
        wrong.append(f"it lacks {', '.join(missing)}")
    if said.twice:
        wrong.append(f"it says {_listed(said.twice)} more than once")
    if wrong:
        raise Refused("; ".join(wrong))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(_quoted(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")


def _quoted(text: str) -> str:
    return f'"{one_line(text[:1000], _LONGEST_QUOTED)}"'


def _entity(reading: _Reading) -> tuple[str, str]:
    said = reading.said["entity"]
    if isinstance(said, str):
        reading.adjustments.append(
            f"entity is a name without a type: taken as {DEFAULT_ENTITY_TYPE}"
        )
        said = Members(name=said, type=DEFAULT_ENTITY_TYPE)
    if not isinstance(said, Members):
        raise Refused("entity is neither an object nor a name")
    if said.twice:
        raise Refused(f"entity says {_listed(said.twice)} more than once")
    inner = _Reading(said, reading.around, reading.adjustments)
    if said.get("name") is None:
        raise Refused("entity has no name")
    name = _trimmed(inner, "name", LONGEST_NAME, whose="entity's name")
    if said.get("type") is None:
        reading.adjustments.append(f"entity has no type: taken as {DEFAULT_ENTITY_TYPE}")
        return name, DEFAULT_ENTITY_TYPE
    kind = _trimmed(inner, "type", LONGEST_TYPE, whose="entity's type")
    if kind != kind.lower():
        reading.adjustments.append(f"entity's type is written {_quoted(kind.lower())}")
    if len(kind.lower()) > LONGEST_TYPE:
        raise Refused(f"entity's type has more than {LONGEST_TYPE} characters")
    return name, kind.lower()


def _trimmed(reading: _Reading, member: str, longest: int, *, whose: str | None = None) -> str:
    """A short text, without blanks around it."""
    whose = whose or member
    said = reading.said[member]
    if not isinstance(said, str):
        raise Refused(f"{whose} is no text")
    _require_storable(whose, said)
    if is_blank(said):
        raise Refused(f"{whose} is blank")
    text = said.strip()
    if len(text) > longest:
        raise Refused(f"{whose} has {len(text):,} characters, more than {longest}")
    if text != said:
        reading.adjustments.append(f"{whose} had blanks around it")
    return text


def _require_storable(whose: str, text: str) -> None:
    if not is_storable(text):
        raise Refused(f"{whose} holds a character that PostgreSQL can't store")


def _value(reading: _Reading) -> str:
    said = reading.said["value"]
    match said:
        case bool():
            said = "true" if said else "false"
            reading.adjustments.append("value is true or false: stored as text")
        case Number() if _WRITTEN.fullmatch(said.text):
            said = said.text
            reading.adjustments.append("value is a number: stored as text")
        case str():
            pass
        case _:
            raise Refused("value is no text")
    _require_storable("value", said)
    if is_blank(said):
        raise Refused("value is blank")
    return str(said)


def _category(reading: _Reading) -> str:
    text = _trimmed(reading, "category", LONGEST_NAME)
    if not text.isprintable():
        raise Refused("category has control characters in it")
    if text in reading.around.categories:
        return text
    # The configuration may have names with capitals; those of the contract have none.
    known = {name.lower(): name for name in reading.around.categories}
    meant = known.get(text.lower(), text.lower())
    if len(meant) > LONGEST_NAME or not meant.isprintable():
        raise Refused(f"category has more than {LONGEST_NAME} characters")
    if meant != text:
        reading.adjustments.append(f"category is written {_quoted(meant)}")
    return meant


def _durability(reading: _Reading, category: str) -> str:
    said = reading.said["durability"]
    if not isinstance(said, str):
        raise Refused("durability is no text")
    meant = re.sub(r"[\s-]+", "_", said[:100].strip().lower())
    if meant not in _DURABILITY_NAMES or len(said) > 100:
        raise Refused(
            f"durability {_quoted(said)} is none of {', '.join(t.name for t in DURABILITIES)}"
        )
    if meant != said:
        reading.adjustments.append(f"durability {_quoted(said)} is written {meant}")
    if category == "mood" and meant not in MOOD_DURABILITIES:
        reading.adjustments.append(f"a mood is never {meant}: lowered to ephemeral")
        return "ephemeral"
    return meant


def _number(reading: _Reading, member: str) -> Decimal | None:
    """A member that is a number, or says one; None for what isn't one."""
    said = reading.said[member]
    text = said.text if isinstance(said, Number) else said
    if not isinstance(text, str) or not _NUMERAL.fullmatch(text.strip()):
        return None
    if isinstance(said, str):
        reading.adjustments.append(f"{member} {_quoted(text)} is read as a number")
    return Decimal(text.strip())


def _importance(reading: _Reading) -> int:
    number = _number(reading, "importance")
    if number is None:
        raise Refused("importance is no number")
    if not 1 <= number <= 10:
        raise Refused("importance is not from 1 to 10")
    whole = round(number)
    said = reading.said["importance"]
    if whole != number:
        reading.adjustments.append(f"importance {number} is rounded to {whole}")
    elif isinstance(said, Number) and said.text != str(whole):
        reading.adjustments.append(f"importance {said.text[:20]} is read as {whole}")
    return whole


def _confidence(reading: _Reading) -> float | None:
    if reading.said.get("confidence") is None:
        return None
    number = _number(reading, "confidence")
    if number is None:
        raise Refused("confidence is no number")
    if not 0 <= number <= 1:
        raise Refused("confidence is not from 0 to 1")
    confidence = float(number)
    assert math.isfinite(confidence)
    return abs(confidence)  # no -0.0


def _deadline(reading: _Reading, category: str) -> datetime | None:
    said = reading.said.get("deadline")
    if said is None:
        return None
    if category != "obligation":
        reading.adjustments.append("deadline is left out: only an obligation has one")
        return None
    if not isinstance(said, str):
        reading.adjustments.append("deadline is left out: it is no text")
        return None
    if is_blank(said):
        return None
    try:
        return parse_instant(said)
    except ValueError:
        pass
    around = reading.around
    found = read_deadline(
        said, learned_at=around.as_of, zone=around.zone, day_order=around.day_order
    )
    shown = _quoted(said)
    if isinstance(found, Reading):
        reading.adjustments.append(
            f"deadline {shown} is read as {iso(found.deadline_at)}: {found.why}"
        )
        return found.deadline_at
    why = found.why if isinstance(found, Ambiguous) else "it is no date"
    reading.adjustments.append(f"deadline {shown} is left out: {why}")
    return None


def _decision(reading: _Reading, category: str) -> Mapping[str, Any] | None:
    """What is said of a decision, as far as it is; whoever stores it tells what is missing."""
    said = reading.said.get("decision")
    if category != "decision":
        if said is not None:
            reading.adjustments.append("decision is left out: the category is another")
        return None
    if said is None:
        return None
    if isinstance(said, str) and not is_blank(said):
        reading.adjustments.append("decision is a text: taken as what was decided")
        said = Members(decided=said)
    if not isinstance(said, Members):
        reading.adjustments.append("decision is left out: it is no object")
        return None
    if said.twice:
        raise Refused(f"decision says {_listed(said.twice)} more than once")
    found: dict[str, Any] = {}
    for name in DECISION_MEMBERS:
        read = _decision_member(reading, name, said.get(name))
        if read is not None:
            found[name] = read
    return found


def _decision_member(reading: _Reading, name: str, said: Any) -> str | list[str] | None:
    if said is None:
        return None
    if name == "alternatives":
        return _alternatives(reading, said)
    if not isinstance(said, str):
        reading.adjustments.append(f"the decision's {name} is left out: it is no text")
        return None
    _require_storable(f"the decision's {name}", said)
    if is_blank(said):
        return None
    return _decided_at(reading, said) if name == "decided_at" else said


def _alternatives(reading: _Reading, said: Any) -> list[str] | None:
    if isinstance(said, str) and not is_blank(said):
        reading.adjustments.append(
            "the decision's alternatives are one text: taken as the only one"
        )
        said = [said]
    if not isinstance(said, list) or not all(isinstance(a, str) and not is_blank(a) for a in said):
        reading.adjustments.append(
            "the decision's alternatives are left out: they are no list of texts"
        )
        return None
    if len(said) > MOST_ALTERNATIVES:
        reading.adjustments.append(
            f"the decision's alternatives are left out: there are more than {MOST_ALTERNATIVES:,}"
        )
        return None
    for alternative in said:
        _require_storable("one of the decision's alternatives", alternative)
    return said


def _decided_at(reading: _Reading, said: str) -> str | None:
    shown = _quoted(said)
    try:
        at = parse_instant(said)
    except ValueError:
        local = _local_instant(said.strip(), reading.around.zone)
        if local is None:
            reading.adjustments.append(f"decided_at {shown} is left out: it is no instant")
            return None
        at = local
        reading.adjustments.append(f"decided_at {shown} is read as {iso(at)}")
    if at - reading.around.as_of.astimezone(UTC) > _AHEAD:
        reading.adjustments.append(f"decided_at {shown} is left out: it is in the future")
        return None
    return iso(at)


def _local_instant(text: str, zone: tzinfo) -> datetime | None:
    """An instant without zone, in the configured one; a bare day where it begins."""
    if _LOCAL.fullmatch(text) is None:
        return None
    try:
        found = instants_of(datetime.fromisoformat(text.upper()), zone)
    except (ValueError, OverflowError):
        return None
    return found[0] if found else None
