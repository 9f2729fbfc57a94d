"""What to do about an object of the database that has to do with the column: one line for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.database import WHOLE_ROW
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.parsing import LONGEST_STATEMENT
from memory_maintenance.audit.sqltext import sql_file
from memory_maintenance.audit.subject import Subject
from memory_maintenance.audit.suggestions import whole_row_suggestion

_BY_KIND: Mapping[str, str] = MappingProxyType(
    {
        "index": "drop it, or index {instead}",
        "constraint": "drop it, or state the same of {instead}",
        "policy": "decide by {instead}",
        "generated column": "compute it from {instead}, or drop it",
        "statistics": "drop them, or keep them on {instead}",
        "publication": "take {column} out of it: publish {instead}",
        "trigger": "have it fire on {instead}",
        "column grant": "revoke it, and grant the same on {instead}",
        "foreign table": "drop its column, or have it stand for {instead}",
    }
)
_INSTEAD = "durability or category"
# As PostgreSQL spells a comparison of a varchar: (f.data_type)::text = ANY ((ARRAY[...])::text[]).
_CAST = r"\(((?:[\w$\"]+\.)*\"?{}\"?)\)::text\b"
_OTHERWISE = (("ANY ((ARRAY[", "ANY (ARRAY["), ("::character varying", ""))


def suggestion_for_object(subject: Subject, kind: str, text: str, *, owned: bool = False) -> str:
    """What to do about it; "" where nothing more is known than what its kind says of any reference.

    kind: as of a finding. text: its SQL. owned: it goes with the column by itself.
    """
    if owned:
        return f"nothing: it goes with {subject.column}"
    if kind == WHOLE_ROW:
        return whole_row_suggestion(subject)
    if subject.types is None:
        return ""
    if exact := _exact(subject, text):
        return exact
    return _BY_KIND.get(kind, "").format(column=subject.column, instead=_INSTEAD)


def _exact(subject: Subject, text: str) -> str:
    """What replaces each comparison and assignment of a literal; "" where there is none."""
    if len(text) > LONGEST_STATEMENT:
        return ""
    cast = re.compile(_CAST.format(re.escape(subject.column)))
    plain = cast.sub(r"\1", text)
    for spelt, simply in _OTHERWISE:
        plain = plain.replace(spelt, simply)
    try:
        candidates = sql_file(plain, subject).candidates
    except Unreadable:
        return ""
    found = [c.suggestion for c in candidates if c.confidence is Confidence.CERTAIN]
    return "; ".join(dict.fromkeys(filter(None, found)))
