"""Which word of a text each mention in its tree is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from memory_maintenance.audit.parsing import Token
from memory_maintenance.audit.resolver import How, Mention


def placed(
    mentions: Sequence[Mention], tokens: Sequence[Token], places: Sequence[int], base: int
) -> Iterator[tuple[int, Mention | None]]:
    """Each of some words with the mention that it is, None for one that is no column's name.

    tokens: the words of the text. places: which of them have the column's name. base: the byte of the text
    that the locations of the mentions count from. PostgreSQL's trees have no location for some names; these
    are taken in the order in which they stand.
    """
    starts = [tokens[place].start for place in places]
    taken = [False] * len(places)
    without: list[Mention] = []
    for mention in mentions:
        if mention.how is not How.NAME:
            continue
        i = None if mention.location < 0 else _at(mention.location + base, tokens, places, starts)
        while i is not None and i < len(places) and taken[i]:
            i += 1
        if i is None or i >= len(places):
            without.append(mention)
        else:
            taken[i] = True
            yield places[i], mention
    rest = [place for place, known in zip(places, taken, strict=True) if not known]
    yield from zip(rest, [*without, *[None] * len(rest)], strict=False)


def _at(byte: int, tokens: Sequence[Token], places: Sequence[int], starts: Sequence[int]) -> int:
    """Which is the first of some words at a byte or after it."""
    i = bisect_left(starts, byte)
    # A relation that is named like the column comes before its column.
    if i + 1 < len(places) and places[i + 1] == places[i] + 2:
        i += tokens[places[i] + 1].sign == "."
    return i
