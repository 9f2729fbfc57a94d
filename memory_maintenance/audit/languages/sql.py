"""Files of SQL, as psql runs them."""

from __future__ import annotations

from collections.abc import Iterator

from memory_maintenance.audit.candidate import Candidate
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.sqltext import sql_file
from memory_maintenance.audit.subject import Subject


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a file of SQL says of the column. Raises Unreadable at its end where it isn't all SQL."""
    reading = sql_file(source.text, subject, derived=source.derived)
    yield from reading.candidates
    if reading.unread:
        line, _ = source.place(reading.unread[0][0])
        raise Unreadable(f"not SQL at line {line}: judged by its words there", reading.unread)
