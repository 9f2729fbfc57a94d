"""Why the database refuses a fact, in words that tell nothing of it: errors of the driver quote rows."""

from __future__ import annotations

import re
from typing import Final

import psycopg

_FUNCTION: Final = re.compile(r"^PL/pgSQL function (\S+\(.*?\)) line (\d+) at (\w+)", re.MULTILINE)
_IN_WORDS: Final = {
    "22001": "a text of it is longer than its column",
    "22003": "a number of it is out of range",
    "22P02": "something of it is no value of its column's type",
    "22P05": "it holds a character that the database's encoding doesn't have",
    "22021": "it holds a character that the database's encoding doesn't have",
    "57014": "it takes the server longer than database.statement_timeout",
}


def refusal(error: psycopg.Error) -> str | None:
    """The reason for which the database refuses the row that was written; None where that isn't the row's
    fault. Never the server's own words: these may quote what was written."""
    state = error.sqlstate
    if state is None:
        return None
    raised = _FUNCTION.search(error.diag.context or "")
    where = "" if raised is None else f", in function {raised[1]} line {raised[2]}"
    if raised is not None and raised[3] == "RAISE" and state[:2] not in ("40", "55", "57"):
        return f"a trigger refuses it (SQLSTATE {state}{where})"
    if state in _IN_WORDS:
        return f"{_IN_WORDS[state]}{where}"
    if state.startswith("23"):
        return _constraint(error) + where
    # Data exceptions, limits (a text too long for an index), views and triggers that say no.
    if state[:2] in ("22", "44", "54") or state == "P0001":
        return f"the database refuses it (SQLSTATE {state}{where})"
    return None


def may_pass(error: psycopg.Error) -> bool:
    """Whether somebody else's write, at the same time, may be the reason: what is referred to, or alike."""
    return error.sqlstate in ("23503", "23505", "23P01")


def _constraint(error: psycopg.Error) -> str:
    table = error.diag.table_name or "the table"
    if error.sqlstate == "23502":
        return f"{table} must have a value of {error.diag.column_name}, and none is said"
    if error.diag.constraint_name is not None:
        return f"{table} refuses it by its constraint {error.diag.constraint_name}"
    return f"{table} refuses it (SQLSTATE {error.sqlstate})"
