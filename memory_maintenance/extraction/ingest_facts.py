"""What is written of a fact that an extractor said (spec 4 to 7), before the database is asked."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, Final
from zoneinfo import ZoneInfo

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.model.deadlines import LONGEST_TEXT, Ambiguous, Nothing
from memory_maintenance.model.decision import REQUIRED
from memory_maintenance.model.extracted import ExtractedFact
from memory_maintenance.model.instants import iso
from memory_maintenance.model.obligations import infer
from memory_maintenance.model.one_line import is_blank
from memory_maintenance.model.storable import is_storable, with_escapes

_LENGTH: Final = re.compile(r"^character(?: varying)?\((\d+)\)$")
_LONGEST_MOODS: Final = ("ephemeral", "short_term")


class Refused(Exception):  # noqa: N818 - a fact that is not stored is an outcome, no error
    """Why a fact is not stored. reason: without words of it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Prepared:
    """A fact as it is stored. expires, document: the columns expires and data, None for nothing.

    changes: what differs from what was said, if it is created, each a sentence.
    """

    fact: ExtractedFact
    expires: datetime | None
    document: Mapping[str, Any] | None
    changes: tuple[str, ...]


# ASCII only where it must be: databases in other encodings than UTF8 refuse \u beyond that.
dumps: Final = partial(json.dumps, ensure_ascii=False, allow_nan=False)
"""A document as data holds it."""


def folded(text: str) -> str:
    """The text for comparing: canonically equal, whatever letters are upper or lower.

    Unicode's canonical caseless match, in Python: PostgreSQL's lower() hangs on the database's locale, and in
    "C" knows ASCII only. It is never shorter than the text.
    """
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", decomposed.casefold())


def ascii_letters(text: str) -> str | None:
    """The folded text if it is ASCII: no other has an equal that is. It is all that the database compares."""
    return text if text.isascii() else None


def lock_number(*parts: object) -> int:
    """A number by which writers of the same thing exclude each other; 64 bits, of any text."""
    digest = sha256(json.dumps([str(part) for part in parts]).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def storable(text: str) -> str:
    r"""The text with what PostgreSQL can't hold as JSON's escapes: \u0000, \ud83d."""
    return with_escapes(text)


def escaped(text: str) -> str:
    """The text with all that isn't ASCII as escapes of JSON."""
    return "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)


def prepare(
    fact: ExtractedFact, relation: Relation, settings: Settings, *, as_of: datetime
) -> Prepared:
    """What is stored of a fact that is said at as_of. Raises Refused for what the table can't hold."""
    document: dict[str, Any] = {}
    changes: list[str] = []
    expires = None
    if fact.category == "mood" and fact.durability not in _LONGEST_MOODS:
        changes.append(f"a mood is never {fact.durability}: it is stored as ephemeral")
        fact = replace(fact, durability="ephemeral")
    if fact.category == "decision":
        document |= _decision(fact.decision, changes)
    elif fact.decision is not None:
        changes.append("what it says of a decision is left out: its category is another")
    if fact.category == "obligation":
        expires, told = _deadline(fact, settings, as_of, changes)
        document |= told
    elif fact.deadline is not None:
        changes.append("its deadline is left out: its category isn't obligation")
    if expires is not None and not _holds_instant(relation, "expires"):
        changes.append(
            f"{relation.label} has no column expires with a time: its deadline isn't kept"
        )
        expires = None
    if document and not projection.has_document(relation):
        lost = document.keys() - {"obligation"}
        if lost:
            changes.append(
                f"{relation.label} has no column data (json or jsonb): what it says of the decision "
                "isn't kept"
            )
        document = {}
    if "entity_id" not in relation.columns:
        changes.append(f"{relation.label} has no column entity_id: whom it is about isn't kept")
    _require_storable(fact, document)
    for name in ("key", "value", "durability", "category"):
        require_room(relation, name, getattr(fact, name))
    return Prepared(fact, expires, document or None, tuple(changes))


def require_room(relation: Relation, name: str, text: str) -> None:
    """Raises Refused where a text is longer than its column."""
    column = relation.columns.get(name)
    match = None if column is None else _LENGTH.match(column.full_type)
    if match and len(text) > int(match[1]):
        raise Refused(
            f"the {name} has {len(text):,} characters, and {relation.label}.{name} has room for {match[1]}"
        )


def _decision(said: Mapping[str, Any] | None, changes: list[str]) -> dict[str, Any]:
    """data.decision, and do_not_reopen where it is whole."""
    missing = [name for name in REQUIRED if _is_absent(name, (said or {}).get(name))]
    if not missing:
        return {"decision": said, "do_not_reopen": True}
    changes.append(f"the decision lacks {', '.join(missing)}: it is kept, and open to change")
    return {} if said is None else {"decision": said}


def _is_absent(name: str, member: Any) -> bool:
    if name == "alternatives":  # an empty list says that there were none
        return not isinstance(member, list | tuple)
    return not isinstance(member, str) or is_blank(member)


def _deadline(
    fact: ExtractedFact, settings: Settings, as_of: datetime, changes: list[str]
) -> tuple[datetime | None, dict[str, Any]]:
    """The deadline that is said, else the one that expire-obligations would read (spec 5)."""
    if fact.deadline is not None:
        # Said as a deadline, as by obligations set-deadline; no words of the value.
        told = {"deadline_source": "set", "deadline_text": iso(fact.deadline)}
        return fact.deadline, {"obligation": told}
    read = infer(
        None,
        fact.value[: LONGEST_TEXT + 1],
        learned_at=as_of,
        zone=ZoneInfo(settings.timezone),
        day_order=settings.obligation.day_order,
    )
    match read:
        case Ambiguous():
            changes.append(
                f"an obligation without a deadline, and its value is ambiguous: {read.why}"
            )
            return None, {}
        case Nothing():
            changes.append("an obligation without a deadline, and its value states none")
            return None, {}
    at = read.reading.deadline_at
    changes.append(f"its deadline {iso(at)} is read from its value: {read.reading.why}")
    told = {"deadline_source": read.source, "deadline_text": read.reading.text}
    return at, {"obligation": told}


def _holds_instant(relation: Relation, name: str) -> bool:
    column = relation.columns.get(name)
    return column is not None and column.type.startswith("timestamp")


def _require_storable(fact: ExtractedFact, document: Mapping[str, Any]) -> None:
    """Raises Refused for what PostgreSQL, or its JSON, can't hold."""
    try:
        written = dumps(dict(document))
    except (ValueError, TypeError, RecursionError):
        raise Refused("what it says of the decision is no JSON that can be stored") from None
    texts = {
        "entity's name": fact.entity_name,
        "entity's type": fact.entity_type,
        "key": fact.key,
        "value": fact.value,
        "category": fact.category,
        "decision": written,
    }
    for name, text in texts.items():
        # A NUL in JSON is an escape by now.
        if not is_storable(text) or (
            name == "decision" and re.search(r"(?<!\\)(?:\\\\)*\\u0000", text)
        ):
            raise Refused(f"the {name} holds a character that PostgreSQL can't store")
