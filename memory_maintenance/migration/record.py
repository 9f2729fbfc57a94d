"""What our schema has written down of a table's migration, and the actions that write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from memory_maintenance.database.session import Session
from memory_maintenance.migration.actions import NO_LOCK, Action, Phase


@dataclass(frozen=True, slots=True)
class Record:
    """The row of ``memory_maintenance.migration`` of a table.

    type_map: JSON, the map by which the stored facts were classified. former: columns and constraints of our
    names that were there before (``State.former``). contract: what contract took away.
    """

    type_map: str
    columns_added: list[str]
    constraints_added: list[str]
    indexes_added: list[str]
    former: Mapping[str, Any]
    started_at: datetime
    backfilled_at: datetime | None
    verified_at: datetime | None
    contract: Mapping[str, Any] | None
    contracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class OldStyleWrite:
    """The last write that named data_type: when, by whom. seconds_ago: by the server's clock."""

    at: datetime
    role: str
    application_name: str
    seconds_ago: float


def read(session: Session, table: str) -> Record | None:
    """The row; None where no migration of this table has begun, or it was rolled back.

    Our schema must be installed. table: the name that the ledger goes by.
    """
    return session.row(Record, "migration/record", {"table_name": table})


def last_old_style_write(session: Session, table: str) -> OldStyleWrite | None:
    """The last one since the triggers are there; None where there was none."""
    return session.row(OldStyleWrite, "migration/last_old_style_write", {"table_name": table})


def start(
    session: Session,
    table: str,
    *,
    type_map: str,
    columns: Sequence[str],
    constraints: Sequence[str],
    former: Mapping[str, Any],
) -> Action:
    """Notes, in expand's transaction, what it adds. type_map: JSON, by which what is found is classified."""
    params = {
        "table_name": table,
        "type_map": type_map,
        "columns": sorted(columns),
        "constraints": sorted(constraints),
        "former": Jsonb(former),
    }
    return _note(session, "expand", "what is being added", "note_start", params)


def index_added(session: Session, table: str, name: str) -> Action:
    """Notes an index of ours before it is built."""
    params = {"table_name": table, "name": name}
    return _note(session, "expand", f"the index {name}", "note_index", params)


def classified(session: Session, table: str, type_map: str) -> Action:
    """Notes that every fact is classified by this map."""
    params = {"table_name": table, "type_map": type_map}
    return _note(session, "backfill", "that every fact is classified", "note_classified", params)


def verified(session: Session, table: str) -> Action:
    """Notes that the migration was verified."""
    return _note(session, "verify", "that it was verified", "note_verified", {"table_name": table})


def contracted(session: Session, table: str, contract: Mapping[str, Any]) -> Action:
    """Notes, in contract's transaction, what it takes away."""
    params = {"table_name": table, "contract": Jsonb(contract)}
    return _note(session, "contract", "what is taken away", "note_contracted", params)


def uncontracted(session: Session, table: str) -> Action:
    """Notes that what contract took away is back."""
    params = {"table_name": table}
    return _note(session, "rollback", "that data_type is back", "note_uncontracted", params)


def rolled_back(session: Session, table: str) -> Action:
    """Forgets the migration, and the old values that it had kept aside."""
    params = {"table_name": table}
    return _note(session, "rollback", "that nothing of it is left", "note_rolled_back", params)


def _note(
    session: Session, phase: Phase, what: str, name: str, params: Mapping[str, Any]
) -> Action:
    statement = session.statement(f"migration/{name}")
    return Action(phase, f"note {what}", statement, NO_LOCK, params, note=True)
