"""What ``importance score`` did, or would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_maintenance.extraction.scoring_answer import REASONS, Tokens
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


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation. role: system or user."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult(Result):
    """endpoint, model: None where they aren't configured, in a dry run.

    requests: sent, repeated ones included; in a dry run those that would be, if none had to be repeated.
    scored: facts. unscored: facts that were asked about in vain, by reason. remaining: facts that may be sent
    and are unscored yet. held_back: unscored facts that aren't public. tokens: where the endpoint says.
    ceiling: the most requests. stopped: why the run ended before its time. prompt: in a dry run, of the first
    request.
    """

    endpoint: str | None
    model: str | None
    include_private: bool
    batch_size: int
    ceiling: int
    requests: int
    retries: int = 0
    scored: int = 0
    unscored: Mapping[str, int]
    remaining: int
    held_back: int
    tokens: Tokens | None = None
    stopped: str | None = None
    prompt: tuple[Message, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """FINDINGS where a fact is unscored though it was asked about, and is still as it was."""
        in_vain = any(count for reason, count in self.unscored.items() if reason != "changed")
        return Outcome.FINDINGS if in_vain or self.stopped is not None else Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        would = "would be " if self.dry_run else ""
        rows = [
            ("model", self.model or "(not set)"),
            ("endpoint", self.endpoint or "(not set)"),
            ("not scored yet", f"{self.remaining:,}"),
            (f"requests {would}sent", f"{self.requests:,} of {self.ceiling:,} at most"),
        ]
        if not self.dry_run:
            rows[2:2] = [("scored", f"{self.scored:,}")]
            rows.append(("of them repeated", f"{self.retries:,}"))
        if self.held_back:
            rows.append(("held back, not public", f"{self.held_back:,}"))
        if self.tokens is not None:
            rows.append(
                ("tokens", f"{self.tokens.prompt:,} sent, {self.tokens.completion:,} received")
            )
        shown: list[Block] = [KeyValues(tuple(rows))]
        if self.unscored:
            columns = (Column("unscored"), Column("facts", "right"), Column("because"))
            table = [(r, f"{count:,}", REASONS[r]) for r, count in self.unscored.items()]
            shown.append(Table(columns, tuple(table)))
        for message in self.prompt or ():
            shown += [Heading(f"Prompt, {message.role}"), Code(message.content)]
        if self.stopped is not None:
            shown.append(Note(self.stopped, "problem"))
        elif self.outcome is Outcome.FINDINGS:
            facts = sum(self.unscored.values())
            what = (
                "1 fact that was asked about is"
                if facts == 1
                else f"{facts:,} facts that were asked about are"
            )
            shown.append(Note(f"{what} unscored; the next run asks again", "problem"))
        shown += [Note(note, "hint") for note in self.notes]
        return tuple(shown)
