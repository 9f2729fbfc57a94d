"""Phase contract: data_type is dropped, its old values kept aside where the axes wouldn't give them back.

What depends on the column blocks, but for what the operator lets through and for views that can show it
computed from the axes. Old values are copied while others write; only the last transaction of a table locks
them out, and no longer than it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.engine.throttle import Throttle
from memory_maintenance.migration import actions, contract_aside, contract_blockers
from memory_maintenance.migration.actions import Action, Step
from memory_maintenance.migration.contract_blockers import Examined, Standing
from memory_maintenance.migration.contract_drop import (
    Dropped,
    Dropping,
    drop,
    drop_steps,
    restless,
)
from memory_maintenance.migration.contract_result import Blocker, ContractResult, ViewKept
from memory_maintenance.migration.planning import planned
from memory_maintenance.migration.tables import Subject, digest_columns
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class ContractOptions:
    """force: whatever old-style writes there were. max_lock: for how long a table's last transaction may keep
    everybody out. accept: names of dependents to be let through. keep_dependents: views that can be kept show
    data_type computed from the axes. batch_rows: rows a batch, >= 1; None steers by time. patience: how often
    a step that meets a lock is tried again.
    """

    force: bool = False
    max_lock: timedelta = timedelta(seconds=1)
    accept: tuple[str, ...] = ()
    keep_dependents: bool = False
    batch_rows: int | None = None
    patience: Patience = actions.PATIENCE


@dataclass(frozen=True, slots=True)
class _Count:
    rows: int
    backed_up: int


def contract(
    run: Run,
    subjects: Sequence[Subject],
    type_map: TypeMap,
    options: ContractOptions,
    *,
    quiet: timedelta,
) -> ContractResult:
    """Drops data_type of each table, or says what blocks that; in a dry run the steps.

    subjects: the facts, then their archive where there is one. quiet: how long there must have been no
    old-style write. Raises UsageError where it comes too early or a name can't be accepted, Busy where locks
    were not to be had, or had to be held for too long: the table is then unchanged.
    """
    session = run.session
    schema.require(session, (subjects[0].schema, subjects[0].name))
    standings = [contract_blockers.stand(session, subject) for subject in subjects]
    examined = _examine(session, standings, type_map, options, quiet=quiet)
    if any(one.blockers for one in examined):
        return _result(run, standings, blockers=[b for e in examined for b in e.blockers])
    if run.dry_run:
        return _preview(run, standings, examined, type_map, options, quiet=quiet)
    let_through = frozenset(name for one in examined for name in one.accepted)
    limits = run.settings.backfill
    throttle = Throttle(session, limits.max_replication_lag, limits.max_wal_bytes_per_s)
    done: list[Dropped] = []
    for one in examined:
        outcome = _contract(
            run,
            one,
            type_map,
            options,
            quiet=quiet,
            let_through=let_through,
            between=throttle.pause,
        )
        if not isinstance(outcome, Dropped):
            return _result(run, standings, done=done, blockers=outcome, unseen=throttle.note)
        done.append(outcome)
        run.publish({"contracted": len(done) == len(examined), "backed_up": _backed_up(done)})
    return _result(run, standings, done=done, contracted=True, unseen=throttle.note)


def blockers(
    session: Session,
    subjects: Sequence[Subject],
    type_map: TypeMap,
    options: ContractOptions,
    *,
    quiet: timedelta,
) -> tuple[Blocker, ...]:
    """What would block contract; reads only. Arguments and errors: as for ``contract``."""
    standings = [contract_blockers.stand(session, subject) for subject in subjects]
    examined = _examine(session, standings, type_map, options, quiet=quiet)
    return tuple(blocker for one in examined for blocker in one.blockers)


def _examine(
    session: Session,
    standings: Sequence[Standing],
    type_map: TypeMap,
    options: ContractOptions,
    *,
    quiet: timedelta,
    formerly: Iterable[str] = (),
) -> list[Examined]:
    return contract_blockers.examine(
        session,
        standings,
        type_map,
        accept=options.accept,
        keep_views=options.keep_dependents,
        force=options.force,
        quiet=quiet,
        formerly=formerly,
    )


def _contract(
    run: Run,
    one: Examined,
    type_map: TypeMap,
    options: ContractOptions,
    *,
    quiet: timedelta,
    let_through: frozenset[str],
    between: Callable[[], None],
) -> Dropped | list[Blocker]:
    """One table: what became of it, or what turned up that blocks. let_through: dependents of any table."""
    session, subject = run.session, one.standing.subject

    def look_again() -> Examined:
        """The table as it is now. What is let through was checked before: names may have gone meanwhile, and
        a text that may mean either table means the other once this one has lost the column."""
        (again,) = _examine(
            session,
            [contract_blockers.stand(session, subject)],
            type_map,
            replace(options, accept=()),
            quiet=quiet,
            formerly=let_through,
        )
        return again

    try:
        noting = contract_aside.begin(
            run,
            subject,
            type_map,
            batch_rows=options.batch_rows,
            between=between,
            patience=options.patience,
        )
        dropping = Dropping(
            subject,
            type_map,
            max_lock=options.max_lock,
            keep_views=options.keep_dependents,
            quiet=None if options.force else quiet,
        )
        dropped = drop(run, dropping, one, noting, look_again, patience=options.patience)
    except contract_aside.UnsoundError:
        contract_aside.give_up(run, subject)
        found = look_again()
        if not found.blockers:
            raise restless(subject) from None
        return list(found.blockers)
    except BaseException:
        contract_aside.give_up(run, subject)
        raise
    if isinstance(dropped, Examined):
        contract_aside.give_up(run, subject)
        return list(dropped.blockers)
    return dropped


def _preview(
    run: Run,
    standings: Sequence[Standing],
    examined: Sequence[Examined],
    type_map: TypeMap,
    options: ContractOptions,
    *,
    quiet: timedelta,
) -> ContractResult:
    session = run.session
    steps: list[Step] = []
    counted: list[Dropped] = []
    replaced: set[int] = set()
    for one in examined:
        relation = one.standing.state.relation
        with session.facts_path(relation.schema):
            (count,) = session.rows(
                _Count,
                "migration/contract_count",
                facts=relation.identifier,
                differs=session.statement("migration/contract_differs"),
            )
        subject = one.standing.subject
        dropping = Dropping(
            subject,
            type_map,
            max_lock=options.max_lock,
            keep_views=options.keep_dependents,
            quiet=None if options.force else quiet,
        )
        views = dropping.views(one.dependents)
        columns = digest_columns(relation)
        refusal = f"{subject.label}: {contract_aside.REFUSAL}"
        copying = contract_aside.copy(
            session, relation, subject.table, type_map, columns, refusal=refusal
        )
        again = contract_aside.again(
            session, relation, subject.table, type_map, columns, keys=None, refusal=refusal
        )
        steps += [
            Step(_noting(session, one)),
            Step(
                (replace(copying, rows=count.backed_up),),
                "transaction" if relation.keyless else "batches",
            ),
            # Before the lock too, under which little is to be left.
            Step((again,)),
            Step(
                drop_steps(
                    session,
                    dropping,
                    one,
                    backed_up=count.backed_up,
                    besides=sorted(replaced - {view.oid for view in views}),
                )
            ),
        ]
        replaced |= {view.oid for view in views}
        counted.append(Dropped(count.backed_up, views, 0.0))
    result = _result(run, standings, done=counted, contracted=not examined)
    return replace(
        result, lock_held_s=None, steps=tuple(steps), plan=planned(session, tuple(steps))
    )


def _noting(session: Session, one: Examined) -> tuple[Action, ...]:
    relation = one.standing.state.relation
    return (
        contract_aside.forget(session, one.standing.subject.table),
        *contract_aside.note(session, relation),
        contract_aside.remember(session, relation),
    )


def _backed_up(done: Sequence[Dropped]) -> int:
    return sum(one.backed_up for one in done)


def _result(
    run: Run,
    standings: Sequence[Standing],
    *,
    done: Sequence[Dropped] = (),
    blockers: Sequence[Blocker] = (),
    contracted: bool = False,
    unseen: str | None = None,
) -> ContractResult:
    """unseen: what batches could not wait for, since it can't be seen."""
    notes = [] if unseen is None else [unseen]
    notes += [
        f"{one.subject.label} has no data_type, and not by us: there is nothing to drop, and nothing that "
        "rollback could bring back"
        for one in standings
        if not one.due and not one.ours
    ]
    held = [one.lock_held_s for one in done if one.lock_held_s is not None]
    return ContractResult(
        command="migrate-types",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=standings[0].subject.label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        contracted=contracted,
        blockers=tuple(blockers),
        kept_views=tuple(ViewKept(view.name, view.statement) for one in done for view in one.views),
        backed_up=_backed_up(done),
        identity_shown_as_permanent=sum(one.backed_up for one in done if one.views),
        last_old_style_write=contract_blockers.latest(run.session, [s.subject for s in standings]),
        lock_held_s=max(held, default=None),
        notes=tuple(notes),
    )
