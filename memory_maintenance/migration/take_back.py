"""The end of phase backfill after an earlier rollback: what that kept of our columns returns.

A value returns where its column is still as the migration makes it, and its fact is still there; whoever has
written since is right. See ``kept`` for what that means for confidence and the axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.engine.throttle import Throttle
from memory_maintenance.migration import kept, record
from memory_maintenance.migration.actions import NO_LOCK, ROWS_OF_A_BATCH, Action, Phase, Step
from memory_maintenance.migration.tables import Subject, row_key
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: int


@dataclass(frozen=True, slots=True)
class _Columns:
    columns: list[str]


@dataclass(frozen=True, slots=True)
class _TakenBack:
    taken_back: int


def kept_rows(session: Session, table: str) -> int:
    """Facts of a table of which a rollback that came to its end has kept something. Our schema must be
    installed."""
    row = session.row(_Rows, "migration/rollback_kept_rows", {"table_name": table})
    assert row is not None
    return row.rows


def take_back_steps(
    session: Session, subject: Subject, relation: Relation, type_map: TypeMap
) -> list[Step]:
    """What is still to be done; nothing where nothing was kept. The columns need not be there yet."""
    rows = kept_rows(session, subject.table)
    if not rows:
        return []
    digests = _digests(session, subject)
    batches_ = [
        _batch(session, subject, relation, type_map, rows=rows, columns=of) for of in digests
    ]
    forgetting = [forget_unfinished(session, subject.table, "backfill")]
    return [
        *(Step((action,)) for action in forgetting if record.read(session, subject.table)),
        *(Step((batch,), "batches") for batch in batches_),
        Step(tuple(_forget(session, subject, relation, digests))),
    ]


def forget_unfinished(session: Session, table: str, phase: Phase) -> Action:
    """Forgets what a rollback kept aside that was given up before it dropped anything.

    What it kept is in the columns still, or was changed there since. Does nothing where there is no such.
    """
    return Action(
        phase,
        "forget what a rollback kept aside that never came to its end",
        session.statement("migration/rollback_forget_unfinished"),
        NO_LOCK,
        {"table_name": table},
        note=True,
    )


def _digests(session: Session, subject: Subject) -> list[list[str]]:
    """By which columns' digest the rows go of which something was kept, the latest first; [] for a key."""
    found = session.rows(_Columns, "migration/rollback_kept_columns", {"table_name": subject.table})
    return [row.columns for row in found]


def take_back(
    run: Run,
    subject: Subject,
    type_map: TypeMap,
    *,
    batch_rows: int | None = None,
    between: Callable[[], None] | None = None,
) -> int:
    """Gives back what an earlier rollback kept; the number of rows written. Every fact must be classified.

    between: called between batches; None for a throttle as configured. Safe to kill and to run again: what is
    given back is forgotten in the same transaction.
    """
    session = run.session
    unfinished = forget_unfinished(session, subject.table, "backfill")
    run.transaction(lambda: session.execute(unfinished.statement, unfinished.params))
    if not kept_rows(session, subject.table):
        return 0
    if between is None:
        limits = run.settings.backfill
        between = Throttle(session, limits.max_replication_lag, limits.max_wal_bytes_per_s).pause
    relation = subject.resolve(session)
    digests = _digests(session, subject)
    total = 0
    for columns in digests:
        batch = _batch(session, subject, relation, type_map, rows=None, columns=columns)
        total += _sweep(run, relation, batch, batch_rows=batch_rows, between=between, before=total)

    def forget() -> None:
        for action in _forget(session, subject, relation, digests):
            session.execute(action.statement, action.params)

    run.transaction(forget, facts_in=relation.schema)
    return total


def _sweep(
    run: Run,
    relation: Relation,
    batch: Action,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
    before: int,
) -> int:
    session = run.session

    def one_batch(keys: Range) -> int:
        bound = {**batch.params, "first_key": keys.first, "last_key": keys.last}
        (row,) = session.fetch(_TakenBack, batch.statement, bound)
        return row.taken_back

    total = 0
    known = max(0, round(relation.row_estimate)) or None
    for taken_back in batches.sweep(
        session,
        relation,
        one_batch,
        sizing=Sizing(batch_rows),
        transaction=run.transaction,
        between=between,
    ):
        total += taken_back
        run.emit(before + total, known, f"take back {relation.label}")
    return total


def _batch(
    session: Session,
    subject: Subject,
    relation: Relation,
    type_map: TypeMap,
    *,
    rows: int | None,
    columns: Sequence[str],
) -> Action:
    """columns: those of the digest that rows went by when they were kept."""
    slots = {**projection.slots(relation), "row_key": row_key(relation, columns)}
    giving = kept.giving(session, subject, relation)
    # Equal rows of a table without a key share what was kept of them: it is forgotten at the end.
    settled: sql.Composable = sql.SQL("")
    if not relation.keyless:
        settled = session.statement("migration/rollback_settled", **slots)
    return Action(
        "backfill",
        "put back what a rollback kept aside, in batches by key, each committed",
        session.statement(
            "migration/rollback_take_back",
            **slots,
            values=giving.values,
            changed=giving.changed,
            assignments=giving.assignments,
            settled=settled,
        ),
        ROWS_OF_A_BATCH,
        kept.params(subject.table, type_map, has_data_type=relation.has("data_type")),
        over=relation,
        rows=rows,
    )


def _forget(
    session: Session, subject: Subject, relation: Relation, digests: Sequence[Sequence[str]]
) -> list[Action]:
    found = [
        Action(
            "backfill",
            "set apart what was kept of rows that are not found any more",
            session.statement(
                "migration/rollback_set_kept_apart",
                facts=relation.identifier,
                row_key=row_key(relation, columns),
            ),
            NO_LOCK,
            {"table_name": subject.table, "columns": list(columns)},
            note=True,
        )
        for columns in digests
        if relation.keyless
    ]
    found.append(
        Action(
            "backfill",
            "forget what was kept of facts that are gone",
            session.statement("migration/rollback_forget_kept"),
            NO_LOCK,
            {"table_name": subject.table},
            note=True,
        )
    )
    return found
