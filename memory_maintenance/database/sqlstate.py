"""Driver errors to ours: the only module that reads SQLSTATEs.

What a retry can mend is told apart from what it can't: ``kind`` for the engine, ``translate`` for the
operator. The server's words are passed on (message, detail, hint), never the statement, whose parameters
hold facts.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from memory_maintenance.errors import (
    Busy,
    Denied,
    MaintenanceError,
    RunFailed,
    Unavailable,
    UsageError,
)


class Kind(enum.Enum):
    """What to do about an error of the database."""

    CONTENTION = "contention"  # run the transaction again
    TIMEOUT = "timeout"  # do less at once
    LOST = "lost"  # connect again
    OTHER = "other"  # give up


_CONTENTION = frozenset({"40001", "40P01", "55P03"})
# 57P05 (idle session timeout) and 25P03 (idle in transaction) end the session as well.
_LOST = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"})
_UNAVAILABLE_CLASSES = frozenset({"08", "53", "58"})
_ABSENT = frozenset({"3D000", "3F000", "42P01", "42703", "42883"})


def kind(error: psycopg.Error) -> Kind:
    """Which of the engine's answers fits the error."""
    state = error.sqlstate
    if state is None:
        # A server that was stopped hard, or a socket that was cut, leaves no SQLSTATE (spec 9).
        return Kind.LOST if isinstance(error, psycopg.OperationalError) else Kind.OTHER
    if state in _CONTENTION:
        return Kind.CONTENTION
    if state == "57014":
        return Kind.TIMEOUT
    if state in _LOST or state.startswith("08"):
        return Kind.LOST
    return Kind.OTHER


def translate(error: psycopg.Error, scrub: Callable[[str], str]) -> MaintenanceError:
    """Our error for the driver's. scrub takes secrets out of the server's and libpq's words."""
    state = error.sqlstate
    words = scrub(_words(error))
    if state is None:
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return _unreachable(words)
        return RunFailed(words)
    if state in _CONTENTION:
        return Busy(
            f"gave up waiting for a lock: {words}",
            remedy="run it again later; SELECT * FROM pg_locks WHERE NOT granted shows who waits",
        )
    if state == "57014":
        return RunFailed(
            f"the server cancelled a statement: {words}",
            remedy="raise database.statement_timeout, or use smaller batches with --batch-rows",
        )
    if state in _LOST or state[:2] in _UNAVAILABLE_CLASSES:
        return _unreachable(words)
    if state.startswith("28"):
        return Denied(
            f"the server refused the login: {words}",
            remedy="check user and password (.pgpass, PGPASSFILE, the DSN) and pg_hba.conf",
        )
    if state == "42501":
        return Denied(
            f"permission denied: {words}",
            remedy="connect as the table's owner, or GRANT what is missing to this role",
        )
    if state == "25006":
        return Denied(
            f"the server is read-only: {words}",
            remedy="connect to the primary (target_session_attrs=read-write)",
        )
    if state in _ABSENT:
        return UsageError(
            words,
            remedy="check --dsn and --table; memory-maintenance migrate-types adds our columns",
        )
    return RunFailed(f"{words} (SQLSTATE {state})")


@contextmanager
def translated(scrub: Callable[[str], str]) -> Iterator[None]:
    """Any driver error inside leaves as ours; its cause is kept for the traceback of -v."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, scrub) from error


def _unreachable(words: str) -> Unavailable:
    return Unavailable(
        f"database unreachable: {words}",
        remedy="check that the server runs and that host, port and database are right",
    )


def _words(error: psycopg.Error) -> str:
    parts = [error.diag.message_primary or str(error).strip() or type(error).__name__]
    # The detail of a data error may quote a row; only what is about objects is passed on.
    if error.sqlstate is not None and error.sqlstate[:2] in ("42", "28", "55", "40", "53"):
        parts += [p for p in (error.diag.message_detail, error.diag.message_hint) if p]
    return "; ".join(" ".join(p.split()) for p in parts)
