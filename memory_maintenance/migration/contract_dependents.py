"""What depends on data_type, as contract looks at it: what is let through, what is kept, what blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_maintenance.audit.database import Dependent, above, dependents
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration.contract_result import Blocker
from memory_maintenance.migration.tables import ARCHIVE_SUFFIX, Subject
from memory_maintenance.migration.views import KeptView, UnkeptView, keep

_ARGUMENTS = re.compile(r"\(.*\)$", re.DOTALL)
_BLANKS_AFTER_COMMA = re.compile(r"\s*,\s*")


@dataclass(frozen=True, slots=True)
class Dependents:
    """All that depends on a table's data_type, or on views that would show it computed.

    kept, unkept: views by whether they can.
    """

    all: tuple[Dependent, ...]
    kept: tuple[KeptView, ...]
    unkept: tuple[UnkeptView, ...]

    def owned(self, kind: str) -> list[int]:
        """The oids of what goes with the column by itself."""
        return [
            d.oid for d in self.all if d.owned_by_column and d.kind == kind and d.oid is not None
        ]


def read(session: Session, relation: Relation) -> Dependents:
    """What the catalog says now."""
    kept, unkept = keep(session, relation)
    name = relation.name
    facts = name.removesuffix(ARCHIVE_SUFFIX) if name.endswith(ARCHIVE_SUFFIX) else ""
    found = (
        *dependents(session, relation, beside=facts),
        *above(session, relation, {view.oid for view in kept}),
    )
    return Dependents(found, tuple(kept), tuple(unkept))


def accepted(
    named: Sequence[str], found: Iterable[Dependents], formerly: Iterable[str]
) -> frozenset[str]:
    """The full names of what the operator lets through.

    named: full names, or without their arguments or schema where that means one object only. formerly: what
    was let through when another table was contracted; naming it again is no error. Raises UsageError for what
    isn't there or can't be let through.
    """
    blocking = [d for group in found for d in group.all if d.blocks]
    names = sorted({d.name for d in blocking if d.acceptable})
    before = sorted(set(formerly))
    chosen: set[str] = set()
    for name in named:
        meant = _meant(name, names) or _meant(name, before)
        if len(meant) == 1:
            chosen.add(meant[0])
            continue
        if meant:
            raise UsageError(
                f"--accept {name} may mean {' or '.join(meant)}",
                remedy=f"name one of them in full: --accept '{meant[0]}'",
            )
        if others := _meant(name, sorted({d.name for d in blocking if not d.acceptable})):
            (kind, *_) = (d.kind for d in blocking if d.name == others[0])
            raise UsageError(
                f"--accept {name}: a {kind} can't be let through; it would break, or go without a word",
                remedy="drop or change it first; a view that only shows data_type outlives it with "
                "--dependents keep",
            )
        there = f"there are {', '.join(names)}" if names else "there is nothing to be accepted"
        raise UsageError(f"--accept {name} names nothing that depends on data_type", remedy=there)
    return frozenset(chosen)


def blockers(
    subject: Subject, found: Dependents, let_through: frozenset[str], *, keep_views: bool
) -> list[Blocker]:
    """What blocks of the dependents. let_through: full names. keep_views: whether those can be kept."""
    kept = {view.oid for view in found.kept}
    reasons = {view.oid: view.reason for view in found.unkept}
    blocking: list[Blocker] = []
    for dependent in found.all:
        if not dependent.blocks or (dependent.acceptable and dependent.name in let_through):
            continue
        if dependent.kept_view and (not keep_views or _is_among(blocking, dependent)):
            continue
        why = dependent.why
        direct_view = dependent.kind == "view" and not dependent.kept_view
        keepable = direct_view and dependent.oid in kept
        if keepable and keep_views:
            continue
        if keepable:
            why += "; --dependents keep has it show what durability and category give"
        elif direct_view and dependent.oid in reasons:
            why += f"; it can't be kept: it {reasons[dependent.oid]}"
        blocking.append(
            Blocker(
                table=subject.label,
                kind=dependent.kind,
                name=dependent.name,
                definition=dependent.definition,
                why=why,
                acceptable=dependent.acceptable,
                keepable=keepable,
            )
        )
    return blocking


def _is_among(blocking: Iterable[Blocker], dependent: Dependent) -> bool:
    """Whether it blocks by what it does with the table's column already."""
    return any((b.kind, b.name) == (dependent.kind, dependent.name) for b in blocking)


def _meant(name: str, names: Sequence[str]) -> list[str]:
    """The names that it stands for: itself, else those it is when arguments, schema or both are left out."""
    wanted = _spelt(name)
    if exact := [n for n in names if _spelt(n) == wanted]:
        return exact
    return [n for n in names if wanted in _short_forms(n)]


def _short_forms(name: str) -> set[str]:
    spelt = _spelt(name)
    bare = _ARGUMENTS.sub("", spelt)
    return {form.rpartition(".")[2] for form in (bare,)} | {bare, _without_schema(spelt)}


def _without_schema(spelt: str) -> str:
    head, bracket, arguments = spelt.partition("(")
    return head.rpartition(".")[2] + bracket + arguments


def _spelt(name: str) -> str:
    return _BLANKS_AFTER_COMMA.sub(",", name.strip())
