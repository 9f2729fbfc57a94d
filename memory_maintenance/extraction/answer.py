"""A model's answer, as it comes, into the facts that it holds."""

from __future__ import annotations

import codecs
import json
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from memory_maintenance.config.models import Settings
from memory_maintenance.errors import UsageError
from memory_maintenance.extraction.contract import categories_of
from memory_maintenance.extraction.fact_members import Refused, Surroundings, read_fact
from memory_maintenance.extraction.reading import Found, find_facts
from memory_maintenance.model.extracted import Item
from memory_maintenance.model.storable import is_storable, with_escapes

LONGEST_ANSWER: Final = 64_000_000
"""Bytes, or characters, of an answer that is read."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def parse_answer(text: str | bytes, *, settings: Settings, as_of: datetime) -> list[Item]:
    """The facts of an answer, in its order, each as it is to be stored or with the reason why it can't be.

    text: JSON with whatever around it. as_of: aware; when it was said, for deadlines such as "tomorrow".
    An answer that says nothing of facts is one Item with all of it. Raises UsageError for an answer of more
    than LONGEST_ANSWER bytes or more than 10,000 facts, and nothing else, whatever the text.
    """
    if len(text) > LONGEST_ANSWER:
        raise UsageError(
            f"the answer has more than {LONGEST_ANSWER:,} bytes", remedy="pass it in smaller parts"
        )
    around = Surroundings(
        categories_of(settings.category),
        ZoneInfo(settings.timezone),
        settings.obligation.day_order,
        as_of,
    )
    return [_item(n, found, around) for n, found in enumerate(find_facts(_decoded(text)))]


def storable(text: str) -> str:
    r"""The text in a form that PostgreSQL can store, from which ``restored`` makes the text again.

    Most are stored as they are. One with a NUL or with half of a pair of surrogates is stored as a JSON
    string, quotes included, with these as \u0000 and \ud83d; so is one that begins with a quote, so that the
    two can be told apart.
    """
    if not text.startswith('"') and is_storable(text):
        return text
    # Beyond ASCII nothing is escaped but what must be.
    written = json.dumps(text, ensure_ascii=False)
    return with_escapes(written)


def restored(text: str) -> str:
    """What ``storable`` was given, surrogates of an answer that wasn't UTF-8 included."""
    return str(json.loads(text)) if text.startswith('"') else text


def _decoded(text: str | bytes) -> str:
    """The text. Bytes that aren't UTF-8 become halves of surrogate pairs: facts that hold one are refused."""
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    for mark, encoding in _MARKS:
        if text.startswith(mark):
            errors = "surrogateescape" if encoding == "utf-8" else "replace"
            return text[len(mark) :].decode(encoding, errors)
    return text.decode("utf-8", "surrogateescape")


def _item(index: int, found: Found, around: Surroundings) -> Item:
    raw = storable(found.raw)
    if found.fact is None:
        return Item(index, raw, None, because=found.because)
    try:
        fact, adjustments = read_fact(found.fact, around)
    except Refused as refused:
        return Item(index, raw, None, because=str(refused))
    mended = () if found.mended is None else (found.mended,)
    return Item(index, raw, fact, adjustments=(*mended, *adjustments))
