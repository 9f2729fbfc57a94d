"""Section health: how the table fares as a table, and what to type where it could fare better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import psycopg

from memory_maintenance.database.relation import Relation, qualified_name
from memory_maintenance.jobs.report.scope import Scope
from memory_maintenance.model.result import Block, Code, Column, Heading, KeyValues, Note, Table

WRITTEN: Final = (
    "confidence",
    "confidence_base",
    "confidence_anchor_at",
    "confidence_written",
    "effective_importance",
)
"""The columns that ``decay`` writes: an update of one that an index holds can't be HOT."""

_SHOWN: Final = 10
_DEAD: Final = 0.2
_HOT: Final = 0.5
_FEW_ROWS: Final = 1000
_SMALL: Final = 1 << 20
_FULL: Final = 90
# From then on, an update that a BRIN index alone has to hear of may be HOT.
_BRIN_ALLOWS_HOT: Final = 160000


@dataclass(frozen=True, slots=True)
class Index:
    """scans: since statistics were reset. hinders_hot: the columns in it that decay writes. required: it is
    unique, or a constraint, the replica identity or CLUSTER rests on it.
    """

    name: str
    bytes: int
    scans: int
    valid: bool
    required: bool
    hinders_hot: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """What is wrong, and the statements that mend it, one a line."""

    what: str
    statement: str


@dataclass(frozen=True, slots=True)
class Health:
    """Of all partitions together. unavailable: why the statistics can't be read, and then all else is None or
    empty. dead_share: of live and dead rows. hot_share: of updated rows. last_vacuumed_at, last_analyzed_at:
    None where it isn't on record. statistics_since: when the server's counters were reset, None where never:
    what was before isn't in them.
    """

    unavailable: str | None
    partitions: int | None = None
    live_rows: int | None = None
    dead_rows: int | None = None
    dead_share: float | None = None
    updated: int | None = None
    hot_updated: int | None = None
    hot_share: float | None = None
    last_vacuumed_at: datetime | None = None
    last_analyzed_at: datetime | None = None
    statistics_since: datetime | None = None
    table_bytes: int | None = None
    index_bytes: int | None = None
    fillfactor: int | None = None
    indexes: tuple[Index, ...] = ()
    advice: tuple[Advice, ...] = ()

    def blocks(self) -> Sequence[Block]:
        """Figures, the largest indexes, and advice."""
        heading = Heading("Table health")
        if self.unavailable is not None:
            return (heading, Note(self.unavailable))
        columns = (
            Column("index"),
            Column("size", "right"),
            Column("scans", "right"),
            Column("remark"),
        )
        rows = tuple(
            (i.name, _size(i.bytes), f"{i.scans:,}", _remark(i)) for i in self.indexes[:_SHOWN]
        )
        more = len(self.indexes) - len(rows)
        blocks: list[Block] = [heading, KeyValues(tuple(self._figures()))]
        if rows:
            title = f"Indexes, the largest {_SHOWN} of {len(self.indexes):,}" if more else None
            blocks.append(Table(columns, rows, title))
        for advice in self.advice:
            blocks += [Note(advice.what, "hint"), Code(advice.statement, "sql")]
        return tuple(blocks)

    def _figures(self) -> Iterator[tuple[str, str]]:
        assert self.live_rows is not None
        assert self.dead_rows is not None
        dead = "" if self.dead_share is None else f" ({self.dead_share:.1%})"
        yield "rows", f"about {self.live_rows:,} live, {self.dead_rows:,} dead{dead}"
        if self.partitions:
            yield "partitions", f"{self.partitions:,}"
        yield "size", f"{_size(self.table_bytes)} and {_size(self.index_bytes)} of indexes"
        hot = "no update on record" if self.hot_share is None else f"{self.hot_share:.1%}"
        yield "HOT updates", f"{hot}, fillfactor {self.fillfactor}"
        yield "last vacuum", _at(self.last_vacuumed_at)
        yield "last analyze", _at(self.last_analyzed_at)
        since = "never reset" if self.statistics_since is None else _at(self.statistics_since)
        yield "statistics since", since


@dataclass(frozen=True, slots=True)
class _Table:
    partitions: int
    live_rows: int
    dead_rows: int
    updated: int
    hot_updated: int
    last_vacuumed_at: datetime | None
    last_analyzed_at: datetime | None
    table_bytes: int
    index_bytes: int
    fillfactor: int
    statistics_since: datetime | None


@dataclass(frozen=True, slots=True)
class _Index:
    schema: str
    name: str
    method: str
    bytes: int
    scans: int
    required: bool
    valid: bool
    partitioned: bool
    written: list[str]


def collect(scope: Scope) -> Health:
    """The server's statistics, at the time of the report whatever its instant."""
    session, relation = scope.run.session, scope.relation
    try:
        with session.transaction():
            table = session.row(_Table, "report/health", {"oid": relation.oid})
            params = {"oid": relation.oid, "written": list(WRITTEN)}
            indexes = session.rows(_Index, "report/health_indexes", params)
    except psycopg.errors.InsufficientPrivilege as error:
        why = error.diag.message_primary or "permission denied"
        return Health(f"role {session.server.role} may not read the server's statistics: {why}")
    assert table is not None
    brin = session.server.server_version >= _BRIN_ALLOWS_HOT
    hindering = {i.name: tuple(i.written) for i in indexes if not (brin and i.method == "brin")}
    rows = table.live_rows + table.dead_rows
    return Health(
        unavailable=None,
        partitions=table.partitions,
        live_rows=table.live_rows,
        dead_rows=table.dead_rows,
        dead_share=table.dead_rows / rows if rows else None,
        updated=table.updated,
        hot_updated=table.hot_updated,
        hot_share=table.hot_updated / table.updated if table.updated else None,
        last_vacuumed_at=table.last_vacuumed_at,
        last_analyzed_at=table.last_analyzed_at,
        statistics_since=table.statistics_since,
        table_bytes=table.table_bytes,
        index_bytes=table.index_bytes,
        fillfactor=table.fillfactor,
        indexes=tuple(
            Index(i.name, i.bytes, i.scans, i.valid, i.required, hindering.get(i.name, ()))
            for i in indexes
        ),
        advice=tuple(_advice(relation, table, indexes, hindering)),
    )


def _advice(
    relation: Relation,
    table: _Table,
    indexes: Sequence[_Index],
    hindering: dict[str, tuple[str, ...]],
) -> Iterator[Advice]:
    """What to do, the most urgent first."""
    name = relation.qualified
    for index in indexes:
        if not index.valid:
            concurrently = "" if index.partitioned else " CONCURRENTLY"
            yield Advice(
                f"index {index.name} isn't valid: it is kept up, and nothing reads by it",
                f"REINDEX INDEX{concurrently} {qualified_name(index.schema, index.name)};",
            )
    rows = table.live_rows + table.dead_rows
    if rows >= _FEW_ROWS and table.dead_rows > _DEAD * rows:
        yield Advice(
            f"{table.dead_rows / rows:.0%} of the rows are dead: autovacuum doesn't keep up, or an old "
            "transaction keeps it from removing them",
            f"VACUUM (ANALYZE) {name};",
        )
    elif rows >= _FEW_ROWS and table.last_analyzed_at is None:
        yield Advice(
            "no analyze is on record: plans rest on guesses" + _reset(table),
            f"ANALYZE {name};",
        )
    held = [i for i in indexes if hindering.get(i.name)]
    for index in held:
        columns = ", ".join(hindering[index.name])
        yield Advice(
            f"index {index.name} holds {columns}, which decay writes, so that no such update can be "
            f"HOT: more WAL, more to vacuum. {_scans(index, table)}. Unless something needs it:",
            _drop(index),
        )
    if not held and table.updated >= _FEW_ROWS and table.hot_updated < _HOT * table.updated:
        yield from _room(relation, table)
    unused = [
        i
        for i in indexes
        if i.scans == 0 and not i.required and i.bytes >= _SMALL and i not in held
    ]
    if unused:
        size = _size(sum(i.bytes for i in unused))
        which = "1 index was" if len(unused) == 1 else f"{len(unused):,} indexes were"
        yield Advice(
            f"{which} never used on this server{_since(table)}: {size} that every write has to keep up. "
            "Unless something needs them, be it on a standby or once a year:",
            "\n".join(map(_drop, unused)),
        )


def _room(relation: Relation, table: _Table) -> Iterator[Advice]:
    """Where updates aren't HOT and no index is to blame, pages are full."""
    if table.fillfactor <= _FULL:
        return
    what = "pages are full, so that an updated row goes to another one; new pages will leave room"
    if relation.partitioned:
        statement = "ALTER TABLE ... SET (fillfactor = 85); -- of each partition"
    else:
        statement = f"ALTER TABLE {relation.qualified} SET (fillfactor = 85);"
    share = f"{table.hot_updated / table.updated:.0%}"
    yield Advice(f"{share} of the updates are HOT: {what}", statement)


def _scans(index: _Index, table: _Table) -> str:
    if index.scans == 0:
        return f"It was never used{_since(table)}"
    return f"It was used {index.scans:,} times{_since(table)}"


def _since(table: _Table) -> str:
    if table.statistics_since is None:
        return ""
    return f" since {_at(table.statistics_since)}"


def _reset(table: _Table) -> str:
    if table.statistics_since is None:
        return ""
    return f" (or it was before the statistics were reset, {_at(table.statistics_since)})"


def _drop(index: _Index) -> str:
    # A partitioned index can only be dropped with its parts, and not concurrently.
    concurrently = "" if index.partitioned else " CONCURRENTLY"
    return f"DROP INDEX{concurrently} {qualified_name(index.schema, index.name)};"


def _remark(index: Index) -> str:
    remarks = []
    if not index.valid:
        remarks.append("not valid")
    if index.hinders_hot:
        remarks.append("keeps decay from HOT")
    if index.scans == 0 and not index.required:
        remarks.append("never used")
    return ", ".join(remarks)


def _size(size: int | None) -> str:
    number = float(size or 0)
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1024:
            return (
                f"{number:.0f} {unit}"
                if number >= 10 or unit == "bytes"
                else f"{number:.1f} {unit}"
            )
        number /= 1024
    return f"{number:,.1f} TB"


def _at(at: datetime | None) -> str:
    return "not on record" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
