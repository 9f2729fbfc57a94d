"""The course of one fact's confidence: as a curve, and when it falls below the archive threshold.

Nothing is reckoned here: the projection is asked for its value at many instants at once. What an outside
writer set, and no run has seen yet, counts as seen at the explanation's instant: base and anchor are frozen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

Values = Callable[[Sequence[datetime]], Sequence[float]]
"""The confidence, 0 to 1, at each of some instants."""

_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)
# Finer than timestamptz there is nothing. So many at a time reach it from a thousand years in nine rounds, a
# millisecond or two each; more at a time are fewer rounds, but more values to reckon.
_STEP: Final = timedelta(microseconds=1)
_ASKED: Final = 128
_POINTS: Final = 121
_SHORTEST: Final = timedelta(days=1)
_AHEAD: Final = 1.25


@dataclass(frozen=True, slots=True)
class Course:
    """points: instant and confidence, ascending, from the start of the decay on, those of as_of, expires
    and crosses_at among them. crosses_at: the first
    instant at which confidence is below the threshold; None where it never is, or is from the start.
    """

    points: tuple[tuple[datetime, float], ...]
    crosses_at: datetime | None


def course(
    values: Values,
    *,
    started_at: datetime,
    as_of: datetime,
    threshold: float,
    expires: datetime | None,
) -> Course:
    """The course from started_at on, which is no later than as_of. expires: seen as well."""
    crosses_at = first_below(values, started_at, threshold)
    shown = [as_of, as_of + max(as_of - started_at, _SHORTEST)] if crosses_at is None else [as_of]
    seen = [instant for instant in (crosses_at, expires) if instant is not None]
    shown += [_later(started_at, (instant - started_at) * _AHEAD) for instant in seen]
    end = min(max(*shown, started_at + _SHORTEST), _LATEST)
    step = (end - started_at) / (_POINTS - 1)
    instants = [started_at + step * i for i in range(_POINTS - 1)]
    # What is marked has its own value, not one between its neighbours: at its expiry a fact falls at once.
    marked = [as_of, *seen] if crosses_at is None else [as_of, *seen, crosses_at - _STEP]
    instants = sorted({*instants, end, *(at for at in marked if started_at <= at <= end)})
    return Course(tuple(zip(instants, values(instants), strict=True)), crosses_at)


def first_below(values: Values, start: datetime, threshold: float) -> datetime | None:
    """The first instant after start, to the microsecond, at which the value is below the threshold.

    None where it is below at the start already, or isn't within the years that Python counts. Confidence
    never rises by itself.
    """
    at_start, at_last = values([start, _LATEST])
    if at_start < threshold or at_last >= threshold:
        return None
    above, below = start, _LATEST
    while below - above > _STEP:
        count = min(_ASKED, (below - above) // _STEP)
        step = (below - above) / count
        instants = [*(above + step * i for i in range(count)), below]
        place = next(i for i, v in enumerate(values(instants)) if v < threshold)
        above, below = instants[place - 1], instants[place]
    return below


def _later(start: datetime, span: timedelta) -> datetime:
    try:
        return start + span
    except OverflowError:
        return _LATEST
