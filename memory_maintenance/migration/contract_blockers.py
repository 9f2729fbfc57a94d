"""Whether a table may lose its data_type: what is looked at before anything changes, and again if need be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import contract_dependents as depending
from memory_maintenance.migration import record as records
from memory_maintenance.migration import state as states
from memory_maintenance.migration import verify as verifying
from memory_maintenance.migration.contract_dependents import Dependents
from memory_maintenance.migration.contract_result import OLD_STYLE_WRITE, Blocker
from memory_maintenance.migration.record import OldStyleWrite, Record
from memory_maintenance.migration.state import State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.verify import Accounted
from memory_maintenance.model.mapping import TypeMap

_AGAIN = "memory-maintenance migrate-types"


@dataclass(frozen=True, slots=True)
class Standing:
    """A table before contract. due: whether it has a data_type to be dropped; ours: whether it has none since
    we dropped it."""

    subject: Subject
    state: State
    record: Record | None

    @property
    def due(self) -> bool:
        return self.state.has_data_type

    @property
    def ours(self) -> bool:
        return not self.due and self.record is not None and self.record.contracted_at is not None


@dataclass(frozen=True, slots=True)
class Examined:
    """A table that has its data_type still. accepted: full names of its dependents that are let through."""

    standing: Standing
    dependents: Dependents
    accepted: tuple[str, ...]
    blockers: tuple[Blocker, ...]


def stand(session: Session, subject: Subject) -> Standing:
    """Where a table stands. Raises UsageError where contract comes too early, or amid a rollback."""
    state = states.read(session, subject.resolve(session))
    known = records.read(session, subject.table)
    label = subject.label
    if not state.has_data_type:
        return Standing(subject, state, known)
    if known is not None and known.contract is not None:
        raise UsageError(
            f"a rollback of {label} has begun and isn't finished",
            remedy=f"finish it first: {_AGAIN} --phase rollback",
        )
    if known is None or not state.has_axes:
        raise UsageError(f"{label} is not migrated yet: phase expand comes first", remedy=_AGAIN)
    if known.backfilled_at is None and known.verified_at is None:
        raise UsageError(
            f"{label} is not classified yet: phase backfill comes first", remedy=_AGAIN
        )
    return Standing(subject, state, known)


def examine(
    session: Session,
    standings: Sequence[Standing],
    type_map: TypeMap,
    *,
    accept: Sequence[str],
    keep_views: bool,
    force: bool,
    quiet: timedelta,
    formerly: Iterable[str] = (),
) -> list[Examined]:
    """What blocks each table that is due; reads only, every row of it.

    accept, keep_views, force: as for ``ContractOptions``. formerly: full names that were accepted before,
    which may be gone. Raises UsageError for names that can't be accepted.
    """
    due = [one for one in standings if one.due]
    found = [depending.read(session, one.state.relation) for one in due]
    before = [
        str(name)
        for one in standings
        if one.ours and one.record is not None and one.record.contract is not None
        for name in one.record.contract.get("accepted", ())
    ]
    let_through = depending.accepted(accept, found, before) if due else frozenset()
    let_through |= frozenset(formerly)
    examined = []
    for one, dependents in zip(due, found, strict=True):
        accounted = verifying.verify(session, one.state.relation, type_map)
        blockers = [
            *_unsettled(session, one, type_map),
            *_unsound(one, accounted, type_map),
            *depending.blockers(one.subject, dependents, let_through, keep_views=keep_views),
        ]
        if not force:
            blockers += old_style(session, one.subject, quiet)
        names = {d.name for d in dependents.all if d.acceptable and d.blocks}
        examined.append(
            Examined(
                one,
                dependents,
                tuple(sorted(names & let_through)),
                tuple(blockers),
            )
        )
    return examined


def old_style(session: Session, subject: Subject, quiet: timedelta) -> list[Blocker]:
    """The last old-style write, where it was too short a time ago. quiet: how long there must be none."""
    last = records.last_old_style_write(session, subject.table)
    if last is None or last.seconds_ago >= quiet.total_seconds():
        return []
    left = timedelta(seconds=quiet.total_seconds() - last.seconds_ago)
    return [
        Blocker(
            table=subject.label,
            kind=OLD_STYLE_WRITE,
            name=f"of {last.at:%Y-%m-%d %H:%M:%S} UTC",
            definition="",
            why=f"{_writer(last)} named data_type, and would fail once it is gone; wait for "
            f"{_span(left)} without another such write, or use --force",
        )
    ]


def latest(session: Session, subjects: Sequence[Subject]) -> OldStyleWrite | None:
    """The last old-style write to any of the tables."""
    found = [records.last_old_style_write(session, subject.table) for subject in subjects]
    writes = [write for write in found if write is not None]
    return max(writes, key=lambda write: write.at, default=None)


def _writer(last: OldStyleWrite) -> str:
    application = f", application {last.application_name}," if last.application_name else ""
    return f"role {last.role}{application}"


def _span(span: timedelta) -> str:
    minutes = max(1, -(-int(span.total_seconds()) // 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


def _unsettled(session: Session, one: Standing, type_map: TypeMap) -> list[Blocker]:
    sentences = verifying.unsettled(session, one.subject, one.state)
    if one.record is None or one.record.verified_at is None:
        sentences.append(f"{one.subject.label} hasn't been verified since it was last changed")
    carried = one.state.map_argument
    if carried is not None and TypeMap.canonical(carried) != type_map.as_json():
        sentences.append("the triggers carry another map than the configured one")
    return [
        Blocker(
            table=one.subject.label,
            kind="unfinished migration",
            name=one.subject.label,
            definition="",
            why=f"{sentence}; run {_AGAIN} again",
        )
        for sentence in sentences
    ]


def _unsound(one: Standing, accounted: Sequence[Accounted], type_map: TypeMap) -> list[Blocker]:
    blockers = []
    for found in accounted:
        if found.sound:
            continue
        shown = "NULL" if found.data_type is None else found.data_type
        unmapped = type_map.of(found.data_type) is None
        where = "ctid" if one.state.relation.keyless else one.state.relation.key
        rows = found.unclassified + found.wrong
        reason = (
            f"{rows:,} rows have this data_type, and the map lacks it; map it, or correct the rows"
            if unmapped
            else f"{rows:,} rows have this data_type and axes that don't agree with it, or none; correct them"
        )
        blockers.append(
            Blocker(
                table=one.subject.label,
                kind="unmapped value" if unmapped else "unsound facts",
                name=shown,
                definition=f"-- such as {where} {', '.join(found.ids)}",
                why=f"{reason}, then run {_AGAIN} again",
            )
        )
    return blockers
