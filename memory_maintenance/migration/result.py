"""What ``migrate-types`` yields, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_maintenance.model.mapping import FALLBACK
from memory_maintenance.model.result import (
    Block,
    Code,
    Column,
    KeyValues,
    Note,
    Outcome,
    Result,
    Table,
)

# Words that YAML reads as something else than text, whatever their case.
_YAML_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True, slots=True)
class Mapped:
    """rows: facts that were stored with this old value (None is NULL)."""

    data_type: str | None
    durability: str
    category: str
    rows: int


@dataclass(frozen=True, slots=True)
class Unmapped:
    """An old value that the map lacks. ids: the keys of the first five rows, as text."""

    data_type: str
    rows: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """Rows that verify found without axes, or with axes that don't agree with their old value.

    reason: what is wrong with them, in words.
    """

    data_type: str | None
    rows: int
    ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Planned:
    """A statement that a dry run would execute."""

    phase: str
    what: str
    lock: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateResult(Result):
    """What was mapped. updated: rows classified. verified: None where nothing was verified (dry run, or
    stopped by an unmapped value before anything changed)."""

    mapping: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()
    updated: int = 0
    verified: bool | None = None
    unaccounted: tuple[Unaccounted, ...] = ()
    plan: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        sound = not self.unmapped and self.verified is not False
        return Outcome.DONE if sound else Outcome.FINDINGS

    def counts(self) -> Mapping[str, Any]:
        return {"updated": self.updated, "verified": self.verified}

    def quiet_blocks(self) -> Sequence[Block]:
        if self.unmapped:
            return _unmapped_blocks(self.unmapped)
        return Result.quiet_blocks(self)

    def blocks(self) -> Sequence[Block]:
        if self.unmapped:
            return _unmapped_blocks(self.unmapped)
        blocks: list[Block] = []
        if self.mapping:
            blocks.append(_mapping_table(self.mapping))
        verb = "to be classified" if self.dry_run else "classified"
        rows = [(f"facts {verb}", f"{self.updated:,}")]
        if self.verified is not None:
            rows.append(("verified", "yes" if self.verified else "NO"))
        blocks.append(KeyValues(tuple(rows)))
        blocks += [
            Note(
                f"{found.rows:,} facts with data_type {_shown(found.data_type)} are not accounted "
                f"for: {found.reason}; such as {', '.join(found.ids)}",
                "problem",
            )
            for found in self.unaccounted
        ]
        if self.unaccounted:
            blocks.append(
                Note(
                    "nothing is lost: data_type is still there. Set the data_type of these facts, or "
                    "their durability and category, and run migrate-types again",
                    "problem",
                )
            )
        blocks += [Note(text, "hint") for text in self.notes]
        if self.plan:
            blocks += _plan_blocks(self.plan)
        elif self.dry_run:
            blocks.append(Note("nothing is left to do"))
        return tuple(blocks)


def _mapping_table(mapping: Sequence[Mapped]) -> Table:
    columns = (
        Column("data_type"),
        Column("durability"),
        Column("category"),
        Column("facts", "right"),
    )
    rows = ((_shown(m.data_type), m.durability, m.category, f"{m.rows:,}") for m in mapping)
    return Table(columns, tuple(rows))


def _plan_blocks(plan: Sequence[Planned]) -> tuple[Block, ...]:
    """The phases, then the SQL of each step with the lock it takes, but for our own schema's."""
    said = {
        "install": "our schema memory_maintenance: new objects only",
        "expand": "in one transaction, tried again while locks are not to be had",
        "backfill": "in batches by key, each committed",
        "settle": "each by itself, once backfill is verified",
    }
    steps = {phase: sum(p.phase == phase for p in plan) for phase in said}
    blocks: list[Block] = [
        Table(
            (Column("phase"), Column("how"), Column("statements", "right")),
            tuple((phase, how, f"{steps[phase]}") for phase, how in said.items() if steps[phase]),
            title="To be done, in this order",
        )
    ]
    if steps["install"]:
        blocks.append(Note("The SQL of our schema is long: --format json has it."))
    statements = [
        f"-- {p.phase}: {p.what}; lock: {p.lock}\n{p.statement};"
        for p in plan
        if p.phase != "install"
    ]
    if statements:
        blocks.append(Code("\n\n".join(statements), "sql"))
    return tuple(blocks)


def _unmapped_blocks(unmapped: Sequence[Unmapped]) -> tuple[Block, ...]:
    blocks: list[Block] = [
        Note(
            f"stopped before anything changed: the map lacks {len(unmapped)} "
            f"value{'s' if len(unmapped) > 1 else ''} of data_type",
            "problem",
        ),
        Table(
            (Column("data_type"), Column("facts", "right"), Column("such as id")),
            tuple((repr(u.data_type), f"{u.rows:,}", ", ".join(u.ids)) for u in unmapped),
        ),
    ]
    named = [u.data_type for u in unmapped if u.data_type.isprintable()]
    if named:
        axes = f"[{', '.join(FALLBACK)}]"
        lines = "\n".join(f"  {_yaml_key(name)}: {axes}" for name in named)
        blocks += [
            Note(
                "To settle them, put these lines into the configuration, each with the durability and "
                "category that fit:"
            ),
            Code(f"data_type:\n{lines}", "yaml"),
        ]
    if len(named) < len(unmapped):
        blocks.append(
            Note("A value with control characters can't be mapped: correct it in the table.")
        )
    return tuple(blocks)


def _shown(data_type: str | None) -> str:
    return "NULL" if data_type is None else data_type


def _yaml_key(text: str) -> str:
    """The value as a YAML key: bare where that is read as the same text, else quoted."""
    plain = text.isascii() and text.replace("_", "").isalnum() and text[0].isalpha()
    if plain and text.lower() not in _YAML_WORDS:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
