"""``run``: the hourly job. The steps that the YAML lists, under one lock and one ledger row (spec 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from memory_maintenance.engine.run import Run
from memory_maintenance.jobs import STEPS
from memory_maintenance.model.result import Block, Heading, Note, Outcome, Result

Step = Callable[[Run], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Result):
    """The results of the steps, in the order in which they ran."""

    steps: tuple[Result, ...]

    @property
    def outcome(self) -> Outcome:
        worst = max((s.outcome.value for s in self.steps), default=0)
        return Outcome(worst)

    def counts(self) -> Mapping[str, Any]:
        return {step.command: dict(step.counts()) for step in self.steps}

    def blocks(self) -> Sequence[Block]:
        if not self.steps:
            return (Note("the configuration's run list is empty: nothing was done", "problem"),)
        blocks: list[Block] = []
        for step in self.steps:
            blocks.append(Heading(step.command))
            blocks += step.blocks()
        return tuple(blocks)


def upkeep(run: Run) -> RunResult:
    """Every step of the configuration's ``run`` list. One that fails stops those after it."""
    steps = [_carry_out(run, name) for name in run.settings.run]
    return RunResult(
        command="run",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=steps[0].table if steps else None,
        run_id=run.run_id,
        duration_s=run.duration_s,
        steps=tuple(steps),
    )


def _carry_out(run: Run, name: str) -> Result:
    with run.step(name):
        result = load_step(name)(run)
        run.publish(result.counts())
        return result


def load_step(name: str) -> Step:
    """The function of a step. Raises KeyError for a name that STEPS lacks."""
    module, _, function = STEPS[name].partition(":")
    step: Step = getattr(import_module(module), function)
    return step
