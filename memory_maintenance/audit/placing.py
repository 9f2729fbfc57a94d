"""Which word of a text each mention in its tree is."""

from __future__ import annotations

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
    free = list(places)
    without: list[Mention] = []
    for mention in mentions:
        if mention.how is not How.NAME:
            continue
        place = None if mention.location < 0 else _at(mention.location + base, tokens, free)
        if place is None:
            without.append(mention)
        else:
            free.remove(place)
            yield place, mention
    for place, mention in zip(list(free), without, strict=False):
        free.remove(place)
        yield place, mention
    for place in free:
        yield place, None


def _at(byte: int, tokens: Sequence[Token], free: Sequence[int]) -> int | None:
    """The first of some words at a byte or after it."""
    for place in free:
        if tokens[place].start < byte:
            continue
        # A relation that is named like the column comes before its column.
        if tokens[place + 1 : place + 2] and tokens[place + 1].text == "." and place + 2 in free:
            continue
        return place
    return None
