"""Section comparison: what another configuration would make of the same facts at the same instant.

The projection is evaluated twice a fact, with either policy, in one pass. Which table, which server and how
zone-less columns are read is what is in force: the other file's ``database`` settings say nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import projection
from memory_maintenance.database.projection import Instant
from memory_maintenance.engine import ledger
from memory_maintenance.jobs.configuration_differences import Setting, differences
from memory_maintenance.jobs.report.scope import Scope, Slots, id_notes
from memory_maintenance.model.one_line import one_line
from memory_maintenance.model.policy import PROBLEM, PolicyTable
from memory_maintenance.model.result import Block, Column, Heading, KeyValues, Note, Table

T = TypeVar("T")

_PREFIX: Final = "other_"
_MOST: Final = 20
_BANDS: Final = 10
_IMPORTANCES: Final = range(1, 11)
_BY_POLICY, _BAND_BEFORE, _BAND_AFTER, _IMPORTANCE_BEFORE, _IMPORTANCE_AFTER = 15, 55, 59, 61, 62
_COMPARED: Final = (
    "durability.",
    "category.",
    "importance.",
    "confidence.adopt",
    "archive.threshold",
)
_LONGEST: Final = 36


@dataclass(frozen=True, slots=True)
class Both(Generic[T]):
    """What is so under the configuration in force, and under the other one."""

    before: T
    after: T

    def shown(self, form: str = "") -> str:
        """Both with an arrow in between, or one where they look the same."""
        before, after = self._texts(form)
        return before if before == after else f"{before} -> {after}"

    def differs(self, form: str = "") -> bool:
        """Whether they look different."""
        before, after = self._texts(form)
        return before != after

    def _texts(self, form: str) -> tuple[str, str]:
        before, after = (
            "-" if value is None else format(value, form) for value in (self.before, self.after)
        )
        return before, after


@dataclass(frozen=True, slots=True)
class Band:
    """Facts whose confidence is at least ``at_least`` and below ``below``; 1 belongs to the last band."""

    at_least: float
    below: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Importance:
    """Facts of one effective importance."""

    importance: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class PolicyPair:
    """The facts that one policy governs before and one after. lost: those that fall below the threshold;
    gained: those that are above again.
    """

    policy: Both[str]
    facts: int
    mean_confidence: Both[float]
    below_threshold: Both[int]
    lost: int
    gained: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A fact that differs."""

    id: Any
    confidence: Both[float]
    importance: Both[int]
    policy: Both[str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """file: the other configuration. settings: those that differ and matter here. facts: without a data
    problem; problems: with one, left out. lost: facts that are below the other threshold and not below that
    in force; gained: the other way round; their ids are the first keys, None unless they were asked for.
    confidence_differs, importance_differs: facts. moved: the first by difference of confidence, then of
    effective importance.
    """

    file: str
    policy_hash: Both[str]
    settings: tuple[Setting, ...]
    facts: int
    problems: int
    threshold: Both[float]
    below_threshold: Both[int]
    lost: int
    gained: int
    mean_confidence: Both[float | None]
    confidence_differs: int
    importance_differs: int
    confidence: tuple[Band, ...]
    importance: tuple[Importance, ...]
    policies: tuple[PolicyPair, ...]
    moved: tuple[Moved, ...]
    lost_ids: tuple[Any, ...] | None
    gained_ids: tuple[Any, ...] | None
    notes: tuple[str, ...]

    def brief(self) -> Sequence[tuple[str, str]]:
        """How many would cross the threshold."""
        return (("what if", f"{self.lost:,} lost, {self.gained:,} gained under {self._name}"),)

    def blocks(self) -> Sequence[Block]:
        """What differs, both distributions, the policies and the facts that move most."""
        rows = (
            ("facts compared", f"{self.facts:,}"),
            ("archive threshold", self.threshold.shown("g")),
            ("below it", self.below_threshold.shown(",")),
            ("lost: fall below it", f"{self.lost:,}"),
            ("gained: above it again", f"{self.gained:,}"),
            ("mean confidence", self.mean_confidence.shown(".3f")),
            ("confidence differs", f"{self.confidence_differs:,}"),
            ("importance differs", f"{self.importance_differs:,}"),
        )
        ids = [("lost", self.lost, self.lost_ids), ("gained", self.gained, self.gained_ids)]
        return (
            Heading(f"What if {self._name} were in force"),
            KeyValues(rows),
            *id_notes(ids),
            *(Note(text, "hint") for text in self.notes),
            *self._settings(),
            *(self._details() if self.confidence_differs or self.importance_differs else ()),
        )

    @property
    def _name(self) -> str:
        return one_line(self.file, _LONGEST)

    def _settings(self) -> Iterator[Block]:
        if not self.settings:
            yield Note("no setting differs that these values depend on")
            return
        yield Table(
            (Column("setting"), Column("in force"), Column("other")),
            tuple((s.key, s.before or "-", s.after or "-") for s in self.settings),
        )

    def _details(self) -> Iterator[Block]:
        counts = (Column("before", "right"), Column("after", "right"), Column("change", "right"))
        yield Table(
            (Column("confidence"), *counts),
            tuple((f"{b.at_least:g} to {b.below:g}", *_change(b)) for b in self.confidence),
        )
        yield Table(
            (Column("effective importance"), *counts),
            tuple((str(i.importance), *_change(i)) for i in self.importance),
        )
        yield Table(
            (
                Column("policy"),
                Column("facts", "right"),
                Column("mean confidence", "right"),
                Column("lost", "right"),
                Column("gained", "right"),
            ),
            tuple(
                (
                    p.policy.shown(),
                    f"{p.facts:,}",
                    p.mean_confidence.shown(".3f"),
                    f"{p.lost:,}",
                    f"{p.gained:,}",
                )
                for p in self.policies
            ),
        )
        # Who differs by less than can be shown would only look like who doesn't.
        moved = tuple(
            (str(m.id), m.confidence.shown(".3f"), m.importance.shown(), m.policy.shown())
            for m in self.moved
            if m.confidence.differs(".3f") or m.importance.differs()
        )
        if not moved:
            yield Note("no fact differs by so much that it shows")
            return
        yield Table(
            (
                Column("id"),
                Column("confidence", "right"),
                Column("importance", "right"),
                Column("policy"),
            ),
            moved,
            title=f"The facts that move most ({len(moved)})",
        )


@dataclass(frozen=True, slots=True)
class _Counted:
    kind: int
    policy_before: int | None
    policy_after: int | None
    step: int | None
    facts: int
    confidence_before: float | None
    confidence_after: float | None
    below_before: int
    below_after: int
    lost: int
    gained: int
    confidence_differs: int
    importance_differs: int
    moved: Sequence[Any] | None
    moved_policy_before: Sequence[int] | None
    moved_policy_after: Sequence[int] | None
    moved_value_before: Sequence[float] | None
    moved_value_after: Sequence[float] | None
    moved_importance_before: Sequence[int] | None
    moved_importance_after: Sequence[int] | None


@dataclass(frozen=True, slots=True)
class _Keys:
    lost: bool
    keys: Sequence[Any]


def collect(scope: Scope) -> Comparison | None:
    """The comparison with ``scope.options.compare``, None where there is none."""
    other = scope.options.compare
    if other is None:
        return None
    run = scope.run
    table = projection.policy_table(other.settings)
    adopted_at = ledger.adopted_at(run.session, run.table)
    values = projection.parameters(
        other.settings,
        table,
        _instant(scope, other, adopted_at),
        zone=run.session.zoneless_timezone,
        prefix=_PREFIX,
    )
    row = run.session.statement("report/row")
    slots: Slots = {
        "reading": scope.reading,
        "before": scope.projection(row),
        "after": projection.projection(run.session, scope.relation, row, prefix=_PREFIX),
    }
    rows: Slots = {"rows": run.session.statement("report/comparison_rows", **slots)}
    counted = scope.rows(_Counted, "report/comparison", rows, **values, most=_MOST)
    keys: Mapping[bool, Sequence[Any]] = {}
    if scope.options.show_ids:
        found = scope.rows(_Keys, "report/comparison_ids", rows, **values, listed=scope.listed)
        keys = {each.lost: each.keys for each in found}
    return _comparison(
        scope,
        other,
        counted,
        moved=_moved(scope.table, table, counted[0]) if counted else (),
        lost_ids=scope.ids(keys.get(True)),
        gained_ids=scope.ids(keys.get(False)),
        notes=_notes(run.loaded, other, adopted_at),
    )


def _instant(scope: Scope, other: Loaded, adopted_at: str | None) -> Instant:
    """What the other policy is reckoned at: the same, unless it would adopt the table in another way."""
    how = other.settings.confidence.adopt
    if adopted_at is not None or how == scope.run.settings.confidence.adopt:
        return scope.instant
    would_be = "-infinity" if how == "history" else scope.run.session.clock().isoformat()
    return replace(scope.instant, adopted_at=would_be)


def _comparison(
    scope: Scope, other: Loaded, counted: Sequence[_Counted], **found: Any
) -> Comparison:
    settings = other.settings
    pairs = [c for c in counted if c.kind == _BY_POLICY]
    sound = [c for c in pairs if PROBLEM not in (c.policy_before, c.policy_after)]
    facts = sum(c.facts for c in sound)
    steps = {(c.kind, c.step): c.facts for c in counted}

    def both(step: int, before: int, after: int) -> tuple[int, int]:
        return steps.get((before, step), 0), steps.get((after, step), 0)

    def mean(sums: Sequence[float | None]) -> float | None:
        return sum(each or 0.0 for each in sums) / facts if facts else None

    return Comparison(
        file=", ".join(other.files),
        policy_hash=Both(scope.run.loaded.policy_hash, other.policy_hash),
        settings=tuple(s for s in differences(scope.run.loaded, other) if _matters(s)),
        facts=facts,
        problems=sum(c.facts for c in pairs) - facts,
        threshold=Both(scope.threshold, settings.archive.threshold),
        below_threshold=Both(sum(c.below_before for c in sound), sum(c.below_after for c in sound)),
        lost=sum(c.lost for c in sound),
        gained=sum(c.gained for c in sound),
        mean_confidence=Both(
            mean([c.confidence_before for c in sound]), mean([c.confidence_after for c in sound])
        ),
        confidence_differs=sum(c.confidence_differs for c in sound),
        importance_differs=sum(c.importance_differs for c in sound),
        confidence=tuple(
            Band(n / _BANDS, (n + 1) / _BANDS, *both(n, _BAND_BEFORE, _BAND_AFTER))
            for n in range(_BANDS)
        ),
        importance=tuple(
            Importance(n, *both(n, _IMPORTANCE_BEFORE, _IMPORTANCE_AFTER)) for n in _IMPORTANCES
        ),
        policies=tuple(_pair(scope.table, projection.policy_table(settings), c) for c in sound),
        **found,
    )


def _pair(before: PolicyTable, after: PolicyTable, c: _Counted) -> PolicyPair:
    assert c.confidence_before is not None
    assert c.confidence_after is not None
    return PolicyPair(
        policy=_policies(before, after, c.policy_before, c.policy_after),
        facts=c.facts,
        mean_confidence=Both(c.confidence_before / c.facts, c.confidence_after / c.facts),
        below_threshold=Both(c.below_before, c.below_after),
        lost=c.lost,
        gained=c.gained,
    )


def _moved(before: PolicyTable, after: PolicyTable, row: _Counted) -> tuple[Moved, ...]:
    columns: tuple[Sequence[Any] | None, ...] = (
        row.moved,
        row.moved_value_before,
        row.moved_value_after,
        row.moved_importance_before,
        row.moved_importance_after,
        row.moved_policy_before,
        row.moved_policy_after,
    )
    return tuple(
        Moved(key, Both(v0, v1), Both(i0, i1), _policies(before, after, p0, p1))
        for key, v0, v1, i0, i1, p0, p1 in zip(*(c or () for c in columns), strict=True)
    )


def _policies(
    before: PolicyTable, after: PolicyTable, number: int | None, number_after: int | None
) -> Both[str]:
    """The names; a number may stand for another policy in either table."""
    assert number is not None
    assert number_after is not None
    return Both(before.names[number - 1], after.names[number_after - 1])


def _matters(setting: Setting) -> bool:
    return setting.key.startswith(_COMPARED)


def _notes(loaded: Loaded, other: Loaded, adopted_at: str | None) -> tuple[str, ...]:
    differing = differences(loaded, other)
    notes = []
    if any(s.key == "confidence.adopt" for s in differing):
        notes.append(
            "confidence.adopt differs, and no run has adopted the table yet: facts that no run has seen "
            "decay from their last confirmation under history, and from the first run on under now"
            if adopted_at is None
            else "confidence.adopt differs, and changes nothing: the table has been adopted already"
        )
    ignored = [s.key for s in differing if not _matters(s)]
    if ignored:
        notes.append(f"differ too, and have no part in these values: {', '.join(ignored)}")
    return tuple(notes)


def _change(counted: Band | Importance) -> tuple[str, str, str]:
    change = counted.after - counted.before
    return f"{counted.before:,}", f"{counted.after:,}", f"{change:+,}" if change else ""
