"""An embedding as it is given: a JSON array of numbers."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from memory_maintenance.errors import UsageError

# Beyond this a real, which is what vectors are made of, is infinite.
_LARGEST: Final = 3.4028234663852886e38
_MOST: Final = 16_000


def parse_embedding(text: str) -> str:
    """The embedding as pgvector reads it. Raises UsageError, saying what is wrong with it."""
    try:
        found = json.loads(text, parse_constant=_constant)
    except ValueError as error:
        why = str(error) if isinstance(error, _NoNumberError) else "it is no JSON"
        raise UsageError(
            f"the embedding can't be read: {why}", remedy="a JSON array such as [0.12, -0.3, 0.05]"
        ) from None
    except RecursionError:
        raise UsageError("the embedding can't be read: it is no array of numbers") from None
    if not isinstance(found, list) or not found:
        what = "an empty array" if found == [] else "no array of numbers"
        raise UsageError(
            f"the embedding is {what}", remedy="a JSON array such as [0.12, -0.3, 0.05]"
        )
    if len(found) > _MOST:
        raise UsageError(
            f"the embedding has {len(found):,} numbers, and {_MOST:,} at most is meant"
        )
    numbers = [_number(value, place) for place, value in enumerate(found, start=1)]
    if not any(numbers):
        raise UsageError("the embedding is zero: it has no direction")
    return "[" + ",".join(map(repr, numbers)) + "]"


class _NoNumberError(ValueError):
    pass


def _constant(name: str) -> float:
    raise _NoNumberError(f"it holds {name}")


def _number(value: Any, place: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"element {place} of the embedding is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) <= _LARGEST:
        raise UsageError(f"element {place} of the embedding is too large")
    return number
