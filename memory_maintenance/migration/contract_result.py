"""What phase contract yields, and how it is shown."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_maintenance.migration.actions import Step
from memory_maintenance.migration.record import OldStyleWrite
from memory_maintenance.migration.result import Planned, plan_blocks
from memory_maintenance.model.result import Block, Code, KeyValues, Note, Outcome, Result

OLD_STYLE_WRITE = "old-style write"
_COMMAND = "memory-maintenance migrate-types --phase contract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """What stands against dropping data_type of a table.

    kind: "view", "function", "unmapped value" and so on. definition: its SQL, or which rows are meant. why: a
    sentence. acceptable: whether --accept with its name lets it through. keepable: whether --dependents keep
    would deal with it.
    """

    table: str
    kind: str
    name: str
    definition: str
    why: str
    acceptable: bool = False
    keepable: bool = field(default=False, metadata={"json": False})


@dataclass(frozen=True, slots=True)
class ViewKept:
    """A view that shows data_type computed from the axes. statement: what replaced its text."""

    name: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractResult(Result):
    """What contract did, or what blocks it.

    contracted: whether no table has its data_type any more. backed_up: rows whose old value was kept aside,
    since the axes alone wouldn't give it. identity_shown_as_permanent: rows that the kept views show with
    another data_type from now on, where they do. lock_held_s: for how long the longest of the locks
    kept everybody out; None where none was taken. given: options of the call, to be given again.
    """

    phase: str | None = "contract"
    contracted: bool = False
    blockers: tuple[Blocker, ...] = ()
    kept_views: tuple[ViewKept, ...] = ()
    backed_up: int = 0
    identity_shown_as_permanent: int = 0
    last_old_style_write: OldStyleWrite | None = None
    lock_held_s: float | None = None
    plan: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = field(default=(), metadata={"json": False})
    given: tuple[str, ...] = field(default=(), metadata={"json": False})

    @property
    def outcome(self) -> Outcome:
        return Outcome.FINDINGS if self.blockers else Outcome.DONE

    def counts(self) -> Mapping[str, Any]:
        return {
            "contracted": self.contracted,
            "blockers": len(self.blockers),
            "backed_up": self.backed_up,
        }

    def quiet_blocks(self) -> Sequence[Block]:
        return self.blocks() if self.blockers else Result.quiet_blocks(self)

    def blocks(self) -> Sequence[Block]:
        if self.blockers:
            tables = " and ".join(dict.fromkeys(b.table for b in self.blockers))
            many = len(self.blockers)
            things = "1 thing blocks" if many == 1 else f"{many} things block"
            return (
                Note(f"{things} contract of {tables}; nothing was changed there", "problem"),
                *blocker_blocks(self.blockers, self.given),
                *(Note(text, "hint") for text in self.notes),
            )
        blocks: list[Block] = []
        done = not self.dry_run and self.lock_held_s is not None
        if done or self.plan:
            aside = "old values to be kept aside" if self.plan else "old values kept aside"
            rows = [(aside, f"{self.backed_up:,}")]
            if self.kept_views:
                views = "views to be kept" if self.plan else "views kept"
                rows.append((views, ", ".join(view.name for view in self.kept_views)))
            if self.lock_held_s is not None:
                rows.append(("lock held", f"{self.lock_held_s:.3f} s"))
            blocks.append(KeyValues(tuple(rows)))
        if self.identity_shown_as_permanent:
            blocks.append(
                Note(
                    f"{self.identity_shown_as_permanent:,} rows read another data_type in the kept views, as "
                    "far as these show them: what their axes give. identity reads permanent there",
                    "hint",
                )
            )
        blocks += [Note(text, "hint") for text in self.notes]
        if self.plan:
            blocks += plan_blocks(self.plan)
        elif not done:
            blocks.append(Note("nothing is left to do"))
        else:
            blocks.append(
                Note(
                    "data_type is gone; memory-maintenance migrate-types --phase rollback brings it back"
                )
            )
        return tuple(blocks)


def blocker_blocks(blockers: Sequence[Blocker], given: Sequence[str] = ()) -> list[Block]:
    """What blocks contract, each with its definition, and the command that goes on; else nothing.

    given: options of the call, to be given again.
    """
    blocks: list[Block] = []
    for blocker in blockers:
        blocks.append(
            Note(f"{blocker.kind} {blocker.name} ({blocker.table}): {blocker.why}", "problem")
        )
        if blocker.definition:
            blocks.append(Code(blocker.definition, "sql"))
    options = [f"--accept {shlex.quote(b.name)}" for b in blockers if b.acceptable]
    if any(b.keepable for b in blockers):
        options.append("--dependents keep")
    if any(b.kind == OLD_STYLE_WRITE for b in blockers):
        options.append("--force")
    others = any(not (b.acceptable or b.keepable or b.kind == OLD_STYLE_WRITE) for b in blockers)
    if options:
        rest = ", once the rest is mended" if others else ""
        blocks += [
            Note(f"What goes on, where that is meant{rest}:"),
            Code(" ".join((_COMMAND, *dict.fromkeys((*given, *options)))), "sh"),
        ]
    return blocks
