"""Confidence and importance in plain Python (spec 3, 4), for the database to be held against.

Written from the specification's words, a whole row at a time, and sharing nothing with the package but
the settings. Instants are microseconds since 1970: ints, so that arithmetic on them is exact, or
math.inf and -math.inf, which PostgreSQL calls infinity and -infinity.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from memory_maintenance.config.models import Settings

At = float
Half = Literal["confidence", "importance"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S: Final = 86400.0
_SMALLEST: Final = 2.0**-1000
_SMALLEST_REAL: Final = 2.0**-126


def micros(at: datetime) -> int:
    """An aware instant as microseconds since 1970, exactly."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def instant(at: float) -> datetime:
    """The way back, for what is finite."""
    return _EPOCH + timedelta(microseconds=int(at))


def as_real(number: float) -> float:
    """The number as a column of type real keeps it."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def survival(age_s: float, half_life_s: float, shape: float = 1.0) -> float:
    """2 ** -((age / half_life) ** shape); what is below 2 ** -1000 is 0."""
    if age_s <= 0 or half_life_s == math.inf:
        return 1.0
    try:
        exponent = (age_s / half_life_s) ** shape
    except OverflowError:
        return 0.0
    return 0.0 if exponent > 1000 else float(2.0**-exponent)


@dataclass(frozen=True, slots=True)
class Curve:
    """half_life_s: seconds, inf for never."""

    half_life_s: float
    shape: float = 1.0


_NEVER: Final = Curve(math.inf)


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy in force. tiers: within (seconds, inf for the last) and factor."""

    durability: Mapping[str, Curve]
    category: Mapping[str, Curve]
    after_deadline: Curve
    grace_us: int
    min_delta: float
    threshold: float
    importance: Curve
    by_access: bool
    tiers: tuple[tuple[float, float], ...]
    real: bool = False

    @staticmethod
    def of(settings: Settings, *, real: bool = False) -> Rules:
        """The rules that settings spell. real: confidence is stored as real."""
        after = settings.category["obligation"].after_deadline
        assert after is not None
        return Rules(
            durability={
                name: Curve(_seconds(policy.half_life), policy.shape)
                for name, policy in settings.durability.items()
            },
            category={
                name: Curve(_seconds(policy.half_life), policy.shape)
                for name, policy in settings.category.items()
            },
            after_deadline=Curve(_seconds(after.half_life)),
            grace_us=after.grace // timedelta(microseconds=1),
            min_delta=settings.confidence.min_delta,
            threshold=settings.archive.threshold,
            importance=Curve(_seconds(settings.importance.half_life), settings.importance.shape),
            by_access=settings.importance.clock == "accessed",
            tiers=tuple(
                (_seconds(tier.within), tier.factor) for tier in settings.importance.access_boost
            ),
            real=real,
        )


@dataclass(slots=True, kw_only=True)
class Fact:
    """A row of the table, as far as decay reads or writes it; named as its columns are."""

    durability: str = "long_term"
    category: str = "observation"
    confidence: float | None = 1.0
    confidence_base: float | None = None
    confidence_anchor_at: At | None = None
    confidence_written: float | None = None
    decay_rate: float | None = None
    last_confirmed_at: At | None = None
    learned_at: At | None = None
    last_accessed_at: At | None = None
    expires: At | None = None
    importance: int = 5
    effective_importance: int | None = None
    pinned: bool = False
    status: str | None = None
    settled_at: At | None = None

    @property
    def settled(self) -> bool:
        """An obligation that nobody waits for any more."""
        return self.category == "obligation" and self.status in ("done", "cancelled", "missed")

    @property
    def deadline(self) -> At | None:
        """When it expires; once it is settled, when it was, if that is earlier or nothing else is said."""
        if not self.settled or self.settled_at is None:
            return self.expires
        return self.settled_at if self.expires is None else min(self.expires, self.settled_at)

    def overdue(self, now: At) -> bool:
        """An obligation whose deadline has passed."""
        return self.category == "obligation" and self._expires_by(now)

    def expired(self, now: At) -> bool:
        """Anything else whose time is over."""
        return self.category != "obligation" and self._expires_by(now)

    def _expires_by(self, now: At) -> bool:
        return self.deadline is not None and self.deadline <= now

    def clocks(self) -> list[At]:
        """What of last_confirmed_at, learned_at and last_accessed_at is known."""
        clocks = (self.last_confirmed_at, self.learned_at, self.last_accessed_at)
        return [clock for clock in clocks if clock is not None]


def unsound(fact: Fact, rules: Rules) -> bool:
    """Whether something about the row is wrong, so that it is left alone."""
    fractions = [f for f in (fact.confidence, fact.confidence_base) if f is not None]
    clocks = fact.clocks()
    if fact.confidence_anchor_at is not None:
        clocks.append(fact.confidence_anchor_at)
    return (
        fact.durability not in rules.durability
        or any(not 0 <= fraction <= 1 for fraction in fractions)
        or (fact.decay_rate is not None and not fact.decay_rate >= 0)
        or any(math.isinf(clock) for clock in clocks)
    )


def governing(fact: Fact, rules: Rules, now: At) -> Curve | None:
    """The curve that applies, the first that matches; None for what has expired and is worth 0."""
    if fact.pinned:
        return _NEVER
    if fact.expired(now):
        return None
    waiting = fact.category == "obligation" and not fact.overdue(now)
    settled = waiting or fact.category in ("decision", "routine")
    if settled and rules.category[fact.category].half_life_s == math.inf:
        return _NEVER
    if fact.decay_rate is not None:
        own = Curve(math.log(2) / fact.decay_rate * _DAY_S if fact.decay_rate else math.inf)
        if fact.category != "mood" or own.half_life_s < rules.category["mood"].half_life_s:
            return own
    if fact.overdue(now):
        return rules.after_deadline
    return rules.category.get(fact.category, rules.durability[fact.durability])


@dataclass(slots=True)
class Memory:
    """A whole table, and what outlives a run: when it was adopted, and the previous pass."""

    facts: dict[int, Fact]
    adopted_at: At = -math.inf
    previous_pass: At = -math.inf

    def decay(self, rules: Rules, now: At, *, only: Half | None = None) -> int:
        """One run at an instant. The number of rows written."""
        updated = sum(self._decay(fact, rules, now, only) for fact in self.facts.values())
        if only != "importance":
            self.previous_pass = max(self.previous_pass, now)
        return updated

    def _decay(self, fact: Fact, rules: Rules, now: At, only: Half | None) -> bool:
        if unsound(fact, rules):
            return False
        base, anchor, anew = self._origin(fact, now)
        value = fact.confidence
        importance = fact.effective_importance
        if only != "importance":
            value = _stored(_confidence(fact, rules, now, base, anchor), rules)
        if only != "confidence":
            importance = effective_importance(fact, rules, now)
        due = (
            (anew and only != "importance")
            or _matters(fact.confidence, value, rules)
            or importance != fact.effective_importance
        )
        if due and only != "importance":
            fact.confidence = fact.confidence_written = value
            fact.confidence_base, fact.confidence_anchor_at = base, anchor
        if due:
            fact.effective_importance = importance
        return due

    def _origin(self, fact: Fact, now: At) -> tuple[float, At, bool]:
        """Base, anchor, and whether they are taken anew from what a writer stored."""
        if fact.confidence_base is None:
            known = (fact.last_confirmed_at, fact.learned_at, now)
            clock = next(clock for clock in known if clock is not None)
            return _read(fact.confidence), max(min(clock, now), self.adopted_at), True
        assert fact.confidence_anchor_at is not None
        if fact.confidence == fact.confidence_written:
            return fact.confidence_base, fact.confidence_anchor_at, False
        confirmed = fact.last_confirmed_at
        as_it_wrote = confirmed is not None and confirmed > max(
            fact.confidence_anchor_at, self.previous_pass
        )
        anchor = min(confirmed, now) if as_it_wrote and confirmed is not None else now
        return _read(fact.confidence), anchor, True


def confidence(fact: Fact, rules: Rules, now: At) -> float:
    """The exact value at an instant of a fact that a run has seen, from its stored base and anchor."""
    assert fact.confidence_base is not None
    assert fact.confidence_anchor_at is not None
    return _confidence(fact, rules, now, fact.confidence_base, fact.confidence_anchor_at)


def _confidence(fact: Fact, rules: Rules, now: At, base: float, anchor: At) -> float:
    curve = governing(fact, rules, now)
    if curve is None:
        return 0.0
    since = anchor if fact.last_confirmed_at is None else max(anchor, fact.last_confirmed_at)
    if fact.overdue(now):
        assert fact.deadline is not None
        since = max(since, fact.deadline + rules.grace_us)
    return base * survival((now - since) / 1e6, curve.half_life_s, curve.shape)


def effective_importance(fact: Fact, rules: Rules, now: At) -> int:
    """Importance as it fades with the time since update and access, never below 1 (spec 4)."""
    exempt = (
        fact.pinned
        or fact.durability == "permanent"
        or fact.category in ("decision", "routine")
        or (fact.category == "obligation" and not fact.overdue(now) and not fact.settled)
    )
    if exempt:
        return fact.importance
    updated = fact.last_confirmed_at if fact.last_confirmed_at is not None else fact.learned_at
    seen = [clock for clock in (updated, fact.last_accessed_at) if clock is not None]
    accessed = max(seen, default=None)
    if rules.by_access:
        updated = accessed
    faded = survival(_age_s(updated, now), rules.importance.half_life_s, rules.importance.shape)
    boost = next(factor for within, factor in rules.tiers if _age_s(accessed, now) < within)
    return max(1, round(fact.importance * faded * boost))


def _age_s(clock: At | None, now: At) -> float:
    return 0.0 if clock is None else max(0.0, (now - clock) / 1e6)


def _matters(stored: float | None, new: float | None, rules: Rules) -> bool:
    before, after = _read(stored), _read(new)
    crosses = (before < rules.threshold) != (after < rules.threshold)
    return stored != new and (abs(after - before) >= rules.min_delta or crosses)


def _read(confidence: float | None) -> float:
    return 1.0 if confidence is None else confidence


def _stored(value: float, rules: Rules) -> float:
    if value < (_SMALLEST_REAL if rules.real else _SMALLEST):
        return 0.0
    return as_real(value) if rules.real else value


def _seconds(span: timedelta | None) -> float:
    return math.inf if span is None else span.total_seconds()
