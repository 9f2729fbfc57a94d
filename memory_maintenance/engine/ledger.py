"""The run ledger, and what else outlives a run: adoption and the previous pass (spec 3, 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.types.json import Jsonb

from memory_maintenance import __version__
from memory_maintenance.database.session import Session

Status = Literal["done", "findings", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A row of the ledger."""

    id: int
    command: str
    as_of: datetime
    started_at: datetime
    finished_at: datetime | None
    status: str
    counts: Mapping[str, Any]
    error: str | None


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _StillOpen:
    still_open: bool


@dataclass(frozen=True, slots=True)
class _At:
    at: str


def start(session: Session, *, command: str, table: str, as_of: datetime, config_hash: str) -> int:
    """Opens a row and gives its number. Rows of dead runs on the table are closed first."""
    session.run("ledger/mark_dead", {"table_name": table})
    row = session.row(
        _Id,
        "ledger/start",
        {
            "command": command,
            "table_name": table,
            "as_of": as_of,
            "version": __version__,
            "config_hash": config_hash,
        },
    )
    assert row is not None
    return row.id


def finish(
    session: Session,
    run_id: int,
    status: Status,
    counts: Mapping[str, Any],
    error: str | None = None,
) -> None:
    """Closes a row. error: for people, already free of secrets."""
    session.run(
        "ledger/finish",
        {"id": run_id, "status": status, "counts": Jsonb(dict(counts)), "error": error},
    )


def still_open(session: Session, run_id: int) -> bool:
    """Whether the row is there, and no other run took this one for dead and closed it."""
    row = session.row(_StillOpen, "ledger/still_open", {"id": run_id})
    return row is not None and row.still_open


def confidence_pass_done(session: Session, run_id: int) -> None:
    """Notes that this run has computed the confidence of the whole table."""
    session.run("ledger/pass_done", {"id": run_id})


def previous_pass(session: Session, table: str) -> str:
    """The highest as_of of completed passes, as PostgreSQL writes it; "-infinity" for none."""
    row = session.row(_At, "ledger/previous_pass", {"table_name": table})
    assert row is not None
    return row.at


def adopted_at(session: Session, table: str) -> str | None:
    """When the table was adopted, as PostgreSQL writes it ("-infinity": its history counts), or None."""
    row = session.row(_At, "ledger/adoption", {"table_name": table})
    return None if row is None else row.at


def adopt(session: Session, table: str, how: Literal["now", "history"]) -> str:
    """Adopts the table unless it was adopted before; gives the instant in force."""
    session.run("ledger/adopt", {"table_name": table, "adopt": how})
    at = adopted_at(session, table)
    assert at is not None
    return at


def recent(session: Session, table: str, rows: int) -> list[RunRow]:
    """The last runs on the table, newest first."""
    return session.rows(RunRow, "ledger/recent", {"table_name": table, "rows": rows})
