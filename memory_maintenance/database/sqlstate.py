"""Driver errors to ours: the only module that reads SQLSTATEs.

What a retry can mend is told apart from what it can't: ``kind`` for the engine, ``translate`` for the
operator. The server's words are passed on (message, detail, hint), never the statement, whose parameters
hold facts.
"""

from __future__ import annotations

import enum
import re
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
_UNAVAILABLE_CLASSES = frozenset({"08", "58"})
_ABSENT = frozenset({"3D000", "3F000", "42P01", "42703", "42883"})

# A refused connection has no SQLSTATE: libpq keeps it to itself, and what is left are words. These are
# English, as nearly all servers say them; of others we know at least that they asked for a password.
_LOGIN_REFUSED = re.compile(
    r"authentication failed|no password supplied|empty password|no pg_hba\.conf entry"
    r"|pg_hba\.conf rejects|role .* does not exist|is not permitted to log in"
    r"|permission denied for database"
)
_NO_DATABASE = re.compile(r"database .* does not exist")
_BAD_CONNINFO = re.compile(
    r"invalid .*(?:value|number|port)|definition of service .* not found"
    r"|service file .* not found|could not match \d+ (?:port|host)"
)


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
        if isinstance(error, psycopg.OperationalError) and (refusal := _refused(error, words)):
            return refusal
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
            remedy="raise database.statement_timeout, or see which statement or lock takes so long",
        )
    if state.startswith("53") and state != "53300":  # too many connections: it can't be reached
        return Unavailable(
            f"the server has run out of something: {words}",
            remedy="free what it lacks (disk, memory) and run it again: what was committed stays",
        )
    if state in _LOST or state[:2] in _UNAVAILABLE_CLASSES or state == "53300":
        return _unreachable(words)
    if state.startswith("28"):
        return _login_refused(words)
    if state == "42501":
        return Denied(
            f"permission denied: {words}",
            remedy="connect as the table's owner, or GRANT what is missing to this role (BYPASSRLS, "
            "where row-level security hides rows from it)",
        )
    if state == "25006":
        return Denied(
            f"the server is read-only: {words}",
            remedy="connect to the primary (target_session_attrs=read-write)",
        )
    if inside := _function(error):
        return RunFailed(f"{words} (SQLSTATE {state}, in {inside})")
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


def _refused(error: psycopg.OperationalError, words: str) -> MaintenanceError | None:
    """What a failed attempt to connect means; None where the server just can't be reached."""
    asked = error.pgconn is not None and error.pgconn.needs_password
    if asked or _LOGIN_REFUSED.search(words):
        return _login_refused(words)
    if _NO_DATABASE.search(words):
        return UsageError(words, remedy="check the database's name in --dsn")
    if _BAD_CONNINFO.search(words):
        return UsageError(words, remedy="check --dsn, PGSERVICE and what else libpq reads")
    return None


def _login_refused(words: str) -> Denied:
    return Denied(
        f"the server refused the login: {words}",
        remedy="check user and password (.pgpass, PGPASSFILE, the DSN) and pg_hba.conf",
    )


def _function(error: psycopg.Error) -> str | None:
    """The function in which the error arose, a trigger's for one: then the operator's call is not to blame.

    Of the context only its name and line are told; the rest may quote facts.
    """
    context = error.diag.context or ""
    found = re.search(r"^PL/pgSQL function (\S+\(.*?\)) line (\d+)", context, re.MULTILINE)
    return None if found is None else f"function {found[1]} line {found[2]}"


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
    # What was added on the way here, such as which batch it was.
    parts += getattr(error, "__notes__", ())
    return "; ".join(" ".join(p.split()) for p in parts)
