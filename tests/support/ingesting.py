"""What extractors say, and ``extraction ingest`` on a test's database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memory_maintenance.config.load import Loaded
from memory_maintenance.extraction.ingest import ingest as job
from memory_maintenance.extraction.ingest_result import IngestResult
from memory_maintenance.model.extracted import ExtractedFact, Item
from tests.support.maintenance import AS_OF, DEFAULTS, opened
from tests.support.server import Connection, TestDatabase

COFFEE: Final = ExtractedFact(
    entity_name="Ana",
    entity_type="person",
    key="drinks",
    value="Coffee",
    durability="long_term",
    category="preference",
    importance=6,
)

Told = tuple[str, str | None]


def said(
    index: int = 0, *, adjustments: Sequence[str] = (), raw: str = "{}", **members: Any
) -> Item:
    """An item with the fact COFFEE, or with members of its own."""
    return Item(index, raw, replace(COFFEE, **members), adjustments=tuple(adjustments))


def unreadable(index: int = 0, raw: str = "{}", because: str = "it has no key") -> Item:
    """An item that the parser has rejected."""
    return Item(index, raw, None, because)


def numbered(items: Sequence[Item]) -> list[Item]:
    """The items, each with its place."""
    return [replace(item, index=n) for n, item in enumerate(items)]


def ingest(
    database: TestDatabase,
    *items: Item,
    as_of: datetime = AS_OF,
    loaded: Loaded = DEFAULTS,
    dry_run: bool = False,
    role: str | None = None,
) -> IngestResult:
    """``extraction ingest`` of one answer with these items, in this order."""
    with opened(database, loaded, role=role) as session:
        return job(session, loaded.settings, numbered(items), as_of=as_of, dry_run=dry_run)


def kinds(result: IngestResult) -> list[str]:
    """The outcomes, in the order of the items."""
    return [o.outcome for o in result.outcomes]


def told(result: IngestResult) -> list[Told]:
    """Outcomes and reasons, in the order of the items."""
    return [(o.outcome, o.because) for o in result.outcomes]


def stored(connection: Connection, columns: str = "key, value") -> list[Any]:
    """Columns of all facts, by id."""
    return connection.execute(f"SELECT {columns} FROM entity_facts ORDER BY id".encode()).fetchall()


def rejected(connection: Connection) -> list[Any]:
    """index, raw and because of what was kept, oldest first."""
    return connection.execute(
        "SELECT index, raw, because FROM memory_maintenance.rejected ORDER BY id"
    ).fetchall()
