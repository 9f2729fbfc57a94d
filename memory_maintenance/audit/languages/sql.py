"""Files of SQL, as psql runs them."""

from __future__ import annotations

from collections.abc import Iterable

from memory_maintenance.audit.candidate import Candidate
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.sqltext import sql_file
from memory_maintenance.audit.subject import Subject


def scan(source: Source, subject: Subject) -> Iterable[Candidate]:
    """What a file of SQL says of the column."""
    return sql_file(source.text, subject, derived=source.derived).candidates
