"""What ``migrate-types`` yields, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_maintenance.migration.actions import Step
from memory_maintenance.model.mapping import FALLBACK
from memory_maintenance.model.result import (
    Block,
    Code,
    Column,
    Heading,
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
    """A statement that a dry run would execute. transaction: those with the same number are committed
    together; None for one that stands outside of any, or is repeated batch by batch, each committed. rows:
    how many it is going to write, where that was counted."""

    phase: str
    what: str
    lock: str
    statement: str
    transaction: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """The rows of one old value at verify. mapped: with the map's axes; own_axes: with a writer's own."""

    data_type: str | None
    rows: int
    mapped: int
    own_axes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What was done with one table. mapping: before, by old value; counted: after. updated: rows classified.
    taken_back: rows that got back what a rollback had kept aside. verified: None where nothing was verified.
    unsettled: what of its constraints, triggers and indexes is not in order, in sentences."""

    table: str
    mapping: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()
    updated: int = 0
    taken_back: int = 0
    verified: bool | None = None
    counted: tuple[Counted, ...] = ()
    unaccounted: tuple[Unaccounted, ...] = ()
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing stops the migration."""
        return not self.unmapped and not self.unaccounted and not self.unsettled


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateResult(Result):
    """What expand, backfill and verify did. phase: the only one that was asked for, or None. The fields of
    ``Part`` are those of the facts; archive: that of their archive, None where there is none."""

    phase: str | None = None
    mapping: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()
    updated: int = 0
    taken_back: int = 0
    verified: bool | None = None
    counted: tuple[Counted, ...] = ()
    unaccounted: tuple[Unaccounted, ...] = ()
    unsettled: tuple[str, ...] = ()
    archive: Part | None = None
    plan: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = field(default=(), metadata={"json": False})

    @property
    def parts(self) -> tuple[Part, ...]:
        """The facts, then their archive."""
        facts = Part(
            table=self.table or "",
            mapping=self.mapping,
            unmapped=self.unmapped,
            updated=self.updated,
            taken_back=self.taken_back,
            verified=self.verified,
            counted=self.counted,
            unaccounted=self.unaccounted,
            unsettled=self.unsettled,
            notes=self.notes,
        )
        return (facts,) if self.archive is None else (facts, self.archive)

    @property
    def outcome(self) -> Outcome:
        return Outcome.DONE if all(part.sound for part in self.parts) else Outcome.FINDINGS

    def counts(self) -> Mapping[str, Any]:
        return {"updated": sum(p.updated for p in self.parts), "verified": self.verified}

    def quiet_blocks(self) -> Sequence[Block]:
        if any(part.unmapped for part in self.parts):
            return _unmapped_blocks(self.parts)
        return Result.quiet_blocks(self)

    def blocks(self) -> Sequence[Block]:
        if any(part.unmapped for part in self.parts):
            return _unmapped_blocks(self.parts)
        blocks: list[Block] = []
        for part in self.parts:
            if self.archive is not None:
                blocks.append(Heading(part.table))
            blocks += _part_blocks(part, dry_run=self.dry_run)
        if any(part.unaccounted for part in self.parts):
            blocks.append(
                Note(
                    "nothing is lost: data_type is still there. Set the data_type of these facts, or "
                    "their durability and category, and run migrate-types again",
                    "problem",
                )
            )
        if self.plan:
            blocks += plan_blocks(self.plan)
        elif self.dry_run:
            blocks.append(Note("nothing is left to do"))
        return tuple(blocks)


def _part_blocks(part: Part, *, dry_run: bool) -> Sequence[Block]:
    blocks: list[Block] = []
    if part.mapping:
        blocks.append(_mapping_table(part.mapping))
    verb = "to be classified" if dry_run else "classified"
    rows = [(f"facts {verb}", f"{part.updated:,}")]
    if part.taken_back:
        rows.append(("taken back from a rollback", f"{part.taken_back:,}"))
    if part.verified is not None:
        rows.append(("verified", "yes" if part.verified else "NO"))
    blocks.append(KeyValues(tuple(rows)))
    blocks += [
        Note(
            f"{found.rows:,} facts with data_type {_shown(found.data_type)} are not accounted "
            f"for: {found.reason}; such as {', '.join(found.ids)}",
            "problem",
        )
        for found in part.unaccounted
    ]
    blocks += [Note(text, "problem") for text in part.unsettled]
    blocks += [Note(text, "hint") for text in part.notes]
    return blocks


def _mapping_table(mapping: Sequence[Mapped]) -> Table:
    columns = (
        Column("data_type"),
        Column("durability"),
        Column("category"),
        Column("facts", "right"),
    )
    rows = ((_shown(m.data_type), m.durability, m.category, f"{m.rows:,}") for m in mapping)
    return Table(columns, tuple(rows))


def plan_blocks(plan: Sequence[Planned]) -> tuple[Block, ...]:
    """The phases, then the SQL of each step with the lock it takes, but for our own schema's."""
    said = {
        "install": "our schema memory_maintenance: new objects only",
        "expand": "one short transaction, then indexes without locking anybody out",
        "backfill": "batches by key, each committed, then constraints, each by itself",
        "verify": "reads every fact",
        "contract": "old values kept aside in batches, then one short transaction",
        "rollback": "batches by key, each committed, then one short transaction",
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


def _unmapped_blocks(parts: Sequence[Part]) -> tuple[Block, ...]:
    unmapped = [u for part in parts for u in part.unmapped]
    values = dict.fromkeys(u.data_type for u in unmapped)
    blocks: list[Block] = [
        Note(
            f"stopped before anything changed: the map lacks {len(values)} "
            f"value{'s' if len(values) > 1 else ''} of data_type",
            "problem",
        )
    ]
    blocks += [
        Table(
            (Column("data_type"), Column("facts", "right"), Column("such as id")),
            tuple((repr(u.data_type), f"{u.rows:,}", ", ".join(u.ids)) for u in part.unmapped),
            None if len(parts) == 1 else part.table,
        )
        for part in parts
        if part.unmapped
    ]
    named = [value for value in values if value.isprintable()]
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
    if len(named) < len(values):
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
