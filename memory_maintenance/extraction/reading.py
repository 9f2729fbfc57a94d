"""Where the facts are in an answer, whatever stands around them: prose, fences, other JSON.

Each fact is read by itself, so that damage to one, or to what holds them together, doesn't reach the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_maintenance.errors import UsageError
from memory_maintenance.extraction.contract import MEMBERS, REQUIRED_MEMBERS
from memory_maintenance.extraction.repair import Beyond, mend
from memory_maintenance.extraction.scanning import Scanner
from memory_maintenance.extraction.strict_json import Decoded, Members, decode
from memory_maintenance.extraction.wrapping import texts_within

MOST_FACTS: Final = 10_000
"""In one answer."""

CUT_OFF: Final = "it is cut off: the answer ends, or goes on with something else, before it does"
TOO_DEEP: Final = "it is damaged JSON, and nested too deeply"
LOST_BEGINNING: Final = "it is part of a fact, and where that begins is lost"
IN_PIECES: Final = "it comes in pieces, as it was streamed, and no fact is whole in any of them"
NOTHING: Final = "no fact can be found in the answer"
MENDED: Final = "its JSON was damaged; the punctuation was mended"
LENIENT: Final = "its JSON was damaged: line breaks or other control characters weren't escaped"

_PIECE: Final = (CUT_OFF, LOST_BEGINNING)

_MOST_MENDED: Final = 3_000_000
"""Characters of damaged facts that are mended in one answer: a minute's work at most."""
_MOST_LOOKS: Final = 6
"""How often each character is looked at, on average. More is an answer made to waste time."""
_LOOKS_AT_LEAST: Final = 5_000_000
_DEEPEST_WRAPPING: Final = 6
_DEEPEST_TEXTS: Final = 2
"""The arguments of a call within the content of a message."""

_OPENING: Final = re.compile(r"[{\[]")
_FACTS: Final = re.compile(r'\{\s*"facts"\s*:\s*')
_LIST_OF_OBJECTS: Final = re.compile(r"\[\s*\{")
_BLANK: Final = re.compile(r"[\s,]*")
_FENCE: Final = re.compile(r"\s*(?:```\w*)?\s*")
# At the beginning of an answer; where templates of chats drop the opening tag, up to the closing one on a
# line of its own, which no text in whole JSON has. What is never closed goes on to the end: then no answer
# follows.
_TAG: Final = "(?:think|thinking|thought|reasoning)"
_THOUGHT: Final = re.compile(
    rf"(?:\s*<({_TAG})>.*?(?:</\1>|\Z))+|.*?\n[ \t]*</{_TAG}>", re.S | re.I
)
_NAMES: Final = "|".join(MEMBERS)
_NEEDED: Final = "|".join(REQUIRED_MEMBERS)
_MEMBER: Final = re.compile(rf"(?<!\w)[\"'“]?(?:{_NEEDED})[\"'”]?\s*:")
_QUOTED_MEMBER: Final = re.compile(rf"[\"'“](?:{_NEEDED})[\"'”]\s*:")
# In whole JSON, no text holds this: the quote after the brace would have ended it.
_NEXT_FACT: Final = re.compile(
    rf"\{{\s*\"(?:{_NAMES}|facts)\"\s*:|(?<=\n)[ \t]*\{{\s*'(?:{_NAMES}|facts)'\s*:"
)
_SAYS: Final = re.compile(r"\w")
_NO_BRACKET: Final = re.compile(r"[^\[\]{}]*")
_NO_FACT: Final = re.compile(r"(?:[\s,.…]|//[^\n]*|/\*.*?\*/|#[^\n]*)*", re.S)
_KINDS: Final = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Found:
    """Something at the place of a fact. raw: as it was said. fact: its members; None where it has none that
    can be told, and then because says why. mended: how its JSON was mended, None where it was whole."""

    raw: str
    fact: Members | None = None
    because: str | None = None
    mended: str | None = None


@dataclass(slots=True)
class _Spent:
    """What an answer has taken so far, texts within it included. facts: found; mended: characters."""

    facts: int = 0
    mended: int = 0


def find_facts(text: str) -> Iterator[Found]:
    """What stands at the places of facts in an answer, in its order.

    Nothing for an answer that says that there are none; one Found for one that says nothing of facts at all.
    Raises UsageError for more than MOST_FACTS.
    """
    encoded = decode(text, len(text) - len(text.lstrip()))
    if isinstance(encoded, Decoded) and isinstance(encoded.value, str):
        text = encoded.value if not text[encoded.end :].strip() else text
    found, said = _read(text, _Spent())
    yield from found if said else [Found(text, because=NOTHING)]


def _read(text: str, spent: _Spent, wrapped: int = 0) -> tuple[list[Found], bool]:
    """What a text holds, or the texts within it; and whether it is an answer."""
    reader = _Reader(text, spent)
    found = list(reader.read())
    if found or reader.answered or wrapped == _DEEPEST_TEXTS:
        return found, bool(found) or reader.answered
    inner = [_read(within, spent, wrapped + 1) for within in texts_within(text)]
    found = [one for part, _ in inner for one in part]
    if len(inner) > 1 and found and all(one.because in _PIECE for one in found):
        # Of what lies between such pieces nothing would be kept.
        found = [Found(text, because=IN_PIECES)]
    return found, any(said for _, said in inner)


class _Reader:
    def __init__(self, text: str, spent: _Spent) -> None:
        self._text = text
        self._scanner = Scanner(text)
        self._looked = 0
        self._spent = spent
        self._containers = 0
        self.answered = False
        """Whether it says that there are facts, or none."""

    def read(self) -> Iterator[Found]:
        """What stands at the places of facts."""
        text = self._text
        thought = _THOUGHT.match(text)
        at = gap = 0 if thought is None else thought.end()
        while (opening := _OPENING.search(text, at)) is not None:
            start = opening.start()
            if text[start] == "{":
                found, at = self._object(start, expected=False)
            elif self._is_list_of_facts(start, gap):
                found, at, closed = self._elements(start + 1)
                self.answered = self.answered or closed
            else:
                found, at = None, start + 1
            if found is not None:
                yield from self._between(gap, start)
                yield from found
                gap = at
        yield from self._between(gap, len(text))

    def _between(self, start: int, end: int) -> Iterator[Found]:
        """What is left of a fact whose beginning is lost."""
        piece = self._text[start:end]
        if _QUOTED_MEMBER.search(piece):
            yield Found(piece.strip(), because=LOST_BEGINNING)

    def _is_list_of_facts(self, start: int, gap: int) -> bool:
        """Whether a bracket begins the answer itself: a footnote's [1] doesn't."""
        text = self._text
        if _FENCE.fullmatch(text, gap, start) is None:
            return False
        if _LIST_OF_OBJECTS.match(text, start):
            return True
        whole = self._decode(start)
        return isinstance(whole, Decoded) and _FENCE.fullmatch(text, whole.end) is not None

    def _decode(self, at: int) -> Decoded | int:
        decoded = decode(self._text, at)
        self._looked += (decoded.end if isinstance(decoded, Decoded) else decoded) - at
        return decoded

    def _object(
        self, at: int, *, expected: bool, wrapped: int = 0
    ) -> tuple[list[Found] | None, int]:
        """What a brace begins, and where reading goes on. None: it is none of ours.

        expected: it stands where a fact is to be.
        """
        if self._looked + self._scanner.read > _MOST_LOOKS * len(self._text) + _LOOKS_AT_LEAST:
            because = "it is damaged JSON that takes too long to read"
            return [self._refused(self._text[at:], because)], len(self._text)
        whole = self._decode(at)
        if not isinstance(whole, Decoded):
            return self._damaged_object(at, expected=expected)
        value, end = whole.value, whole.end
        if "facts" in value:
            return [f for place in self._facts_of(at, value) for f in self._facts(place)[0]], end
        inside = None
        if value.keys().isdisjoint(REQUIRED_MEMBERS):
            if any(isinstance(member, dict | list) for member in value.values()):
                inside = self._inside(at, wrapped)
            if inside is not None or not expected:
                return inside, end
        mended = LENIENT if whole.lenient else None
        return [self._read_as(self._text[at:end], value, mended)], end

    def _facts_of(self, at: int, value: Members) -> tuple[int, ...]:
        first = _FACTS.match(self._text, at)
        if first is not None and "facts" not in value.twice:
            return (first.end(),)
        return self._scanner.object_at(at).facts

    def _inside(self, at: int, wrapped: int) -> list[Found] | None:
        """The facts in what is around an answer, such as the call of a function."""
        if wrapped >= _DEEPEST_WRAPPING:
            return None
        found: list[Found] | None = None
        for place in self._scanner.object_at(at).nested:
            for start in self._objects_at(place):
                inner, _ = self._object(start, expected=False, wrapped=wrapped + 1)
                if inner is not None:
                    found = [*(found or []), *inner]
        return found

    def _objects_at(self, place: int) -> Iterator[int]:
        """Where an object, or those of a list, begin; in whole JSON."""
        if self._text[place] == "{":
            yield place
            return
        at = place + 1
        while True:
            at = self._after_blank(at)
            if self._text[at] == "]":
                return
            if self._text[at] == "{":
                yield at
            element = self._decode(at)
            assert isinstance(element, Decoded)
            at = element.end

    def _facts(self, at: int) -> tuple[list[Found], int]:
        """What the member facts holds."""
        if self._containers == _DEEPEST_WRAPPING:
            return [self._refused(self._text[at:], TOO_DEEP)], len(self._text)
        self._containers += 1
        try:
            return self._facts_within(at)
        finally:
            self._containers -= 1

    def _facts_within(self, at: int) -> tuple[list[Found], int]:
        if self._text.startswith("[", at):
            found, end, closed = self._elements(at + 1)
            # Of one that neither ends nor holds a fact, it can't be said that it has none.
            self.answered = self.answered or closed
            return found, end
        if self._text.startswith("{", at):
            one, end = self._object(at, expected=True)
            return one or [], end
        whole = self._decode(at)
        if isinstance(whole, Decoded):
            raw = self._text[at : whole.end]
            return [self._refused(raw, "facts is no list of facts")], whole.end
        return [self._refused(self._text[at:], CUT_OFF)], len(self._text)

    def _elements(self, at: int) -> tuple[list[Found], int, bool]:
        """The elements of a list of facts, where it ends or something else begins, and whether it ends."""
        text, found, open_lists = self._text, list[Found](), 1
        while (at := self._after_blank(at)) < len(text):
            if text[at] == "{":
                one, at = self._object(at, expected=True)
                found += one or []
            elif text[at] in "[]":
                open_lists += 1 if text[at] == "[" else -1
                at += 1
                if not open_lists:
                    return found, at, True
            else:
                other = self._decode(at)
                if isinstance(other, Decoded):
                    kind = _KINDS.get(type(other.value), "a number")
                    because = f"a fact is an object, and this is {kind}"
                    found.append(self._refused(text[at : other.end], because))
                    at = other.end
                    continue
                junk = _NO_BRACKET.match(text, at)
                if junk is None or not self._is_within(junk):
                    break
                if not _NO_FACT.fullmatch(junk[0]):
                    found.append(self._refused(junk[0].strip(" ,\r\n\t"), "it is no JSON"))
                at = junk.end()
        return found, at, False

    def _is_within(self, junk: re.Match[str]) -> bool:
        """Whether a list of facts goes on after what is no JSON; else its end is lost, and prose begins."""
        after = self._text[junk.end() : junk.end() + 1]
        if not junk[0] or after not in ("{", "]") or "```" in junk[0]:
            return False
        return _FACTS.match(self._text, junk.end()) is None

    def _after_blank(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        assert match is not None
        return match.end()

    def _damaged_object(self, at: int, *, expected: bool) -> tuple[list[Found] | None, int]:
        text = self._text
        inside = self._scanner.object_at(at, stop_at_facts=True)
        if inside.facts:
            return self._facts(inside.facts[0])
        ours = expected or _MEMBER.search(text, at, inside.end) is not None
        if inside.closed:
            segment = text[at : inside.end]
            if not ours:
                return None, inside.end
            mended = self._mend(segment)
            if isinstance(mended, Members):
                return [self._read_as(segment, mended, MENDED)], inside.end
            return self._broken_object(at, inside.end, mended.why, expected=expected, ours=True)
        why = TOO_DEEP if inside.too_deep else CUT_OFF
        return self._broken_object(at, len(text), why, expected=expected, ours=ours)

    def _broken_object(
        self, at: int, limit: int, why: str, *, expected: bool, ours: bool
    ) -> tuple[list[Found] | None, int]:
        """An object that can't be mended as it is: up to where the next fact surely begins."""
        text = self._text
        after = self._next_fact(at + 1, limit)
        self._looked += after - at
        segment = text[at:after]
        if after == limit:
            return ([self._refused(segment, why)] if ours else None), limit
        if not _MEMBER.search(segment):
            # A brace too many says nothing.
            said = expected and _SAYS.search(segment) is not None
            return ([self._refused(segment.strip(" ,\r\n\t"), why)] if said else None), after
        # Its last bracket may be all that it lacks: it isn't the answer's end that took it.
        mended = self._mend(segment.rstrip(" \t\r\n,"))
        if isinstance(mended, Members):
            return [self._read_as(segment.strip(), mended, MENDED)], after
        return [self._refused(segment.strip(), why)], after

    def _next_fact(self, start: int, limit: int) -> int:
        """Where the next object begins that is a fact or holds some, and is no member of another."""
        for match in _NEXT_FACT.finditer(self._text, start, limit):
            before = self._text[max(0, match.start() - 50) : match.start()].rstrip()
            if "facts" in match[0] or not before.endswith(":"):
                return match.start()
        return limit

    def _read_as(self, raw: str, fact: Members, mended: str | None) -> Found:
        self._count_one()
        return Found(raw, fact, mended=mended)

    def _refused(self, raw: str, because: str) -> Found:
        self._count_one()
        return Found(raw, because=because)

    def _count_one(self) -> None:
        # Counted where they are found: a list of millions must not be gathered first.
        self._spent.facts += 1
        if self._spent.facts > MOST_FACTS:
            raise UsageError(
                f"the answer has more than {MOST_FACTS:,} facts", remedy="pass it in smaller parts"
            )

    def _mend(self, segment: str) -> Members | Beyond:
        self._spent.mended += len(segment)
        if self._spent.mended > _MOST_MENDED:
            return Beyond(f"it is damaged JSON, after {_MOST_MENDED:,} characters of it")
        return mend(segment)
