"""What a use that the text of a body makes of the column or its table is worth."""

from __future__ import annotations

from memory_maintenance.audit.bodies import Body, Use
from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.names import Verdict

# What comes before it in the reason of a use that can't be told for certain.
_UNSURE = ", possibly "


def confidence_of(use: Use) -> Confidence:
    """How sure it is that a text uses the column."""
    if use.rows_only:
        return Confidence.LIKELY
    return Confidence.POSSIBLE if _UNSURE in use.why else Confidence.CERTAIN


def takes_all_columns(body: Body) -> bool:
    """Whether a body has a star that stands for all columns of the table, or an INSERT by position."""
    return any(place.whole_row and place.verdict is Verdict.YES for place in body.judged())
