"""What ``audit-data-type-refs`` yields: all that was found, and whether it is enough to fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.findings import DatabaseEntry, Finding, Skipped
from memory_maintenance.model.result import Block, Code, Heading, Note, Outcome, Result

_MOST_SKIPPED: Final = 20


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry of the baseline that nothing matches any more.

    what: the file, or the object of the database, for which text is "".
    """

    what: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult(Result):
    """The findings, those that don't count among them, and what was not looked at.

    paths: as given. suppressed, baselined: how many were let pass, by comments and by the baseline; they
    stand in ``suppressed_findings`` with the reason, ``known_findings`` and ``known_objects``. everything:
    whether people are shown what is unrelated and skipped, one by one. in_database: whether that was looked
    into.
    """

    column: str
    tables: tuple[str, ...]
    paths: tuple[str, ...]
    fail_on: str
    findings: tuple[Finding, ...] = ()
    database: tuple[DatabaseEntry, ...] = ()
    whole_rows: tuple[Finding, ...] = ()
    unrelated: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    suppressed: int = 0
    baselined: int = 0
    stale: tuple[Stale, ...] = ()
    baseline_written: str | None = None
    files: int = 0
    lines: int = 0
    ignored: int = 0
    notes: tuple[str, ...] = ()
    suppressed_findings: tuple[tuple[Finding, str], ...] = field(
        default=(), metadata={"json": False}
    )
    known_findings: tuple[Finding, ...] = field(default=(), metadata={"json": False})
    known_objects: tuple[DatabaseEntry, ...] = field(default=(), metadata={"json": False})
    everything: bool = field(default=False, metadata={"json": False})
    in_database: bool = field(default=False, metadata={"json": False})

    @property
    def threshold(self) -> Confidence:
        """What counts at least."""
        return Confidence[self.fail_on.upper()]

    @property
    def counting(self) -> tuple[Finding, ...]:
        """The findings that make the audit fail."""
        return tuple(f for f in self.findings if f.counts(self.threshold))

    @property
    def counting_objects(self) -> tuple[DatabaseEntry, ...]:
        """The objects of the database that do."""
        return tuple(entry for entry in self.database if entry.counts(self.threshold))

    @property
    def outcome(self) -> Outcome:
        """FINDINGS if anything counts, unless all that was found has just gone into a baseline."""
        if self.baseline_written is not None:
            return Outcome.DONE
        return Outcome.FINDINGS if self.counting or self.counting_objects else Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        """What counts, the rest, and how much was read."""
        counting = set(self.counting)
        rest = [finding for finding in self.findings if finding not in counting]
        blocks = [
            *_section("Counting references", self.counting),
            *_objects("In the database", self.database),
            *_section("Other references", rest),
            *_section("Whole rows, which have the column among others", self.whole_rows),
        ]
        if self.everything:
            blocks += _section("Unrelated, of that name only", self.unrelated)
        blocks += self._skipped()
        blocks += (Note(_line(note), "hint") for note in self.notes)
        blocks += (Note(_line(_stale(entry)), "hint") for entry in self.stale)
        return (*blocks, Note(self._summary()), *self._verdict())

    def quiet_blocks(self) -> Sequence[Block]:
        """What counts, where anything does."""
        if self.outcome is Outcome.DONE:
            return ()
        return (
            *_section("Counting references", self.counting),
            *_objects("In the database", self.counting_objects),
            *self._verdict(),
        )

    def _skipped(self) -> Iterator[Block]:
        if not self.skipped:
            return
        if self.everything or len(self.skipped) <= _MOST_SKIPPED:
            yield Heading("Not read, or not as what they are")
            yield Code("\n".join(_line(f"{s.file}: {s.because}") for s in self.skipped))
            return
        reasons = Counter(s.because for s in self.skipped).most_common(_MOST_SKIPPED)
        yield Heading("Not read, or not as what they are (--all lists them)")
        yield Code("\n".join(f"{number:>6,}  {_line(reason)}" for reason, number in reasons))

    def _summary(self) -> str:
        parts = [*self._of_files(), *self._of_database()]
        if self.suppressed:
            parts.append(f"{self.suppressed} ignored by comments")
        if self.baselined:
            parts.append(f"{self.baselined} known to the baseline")
        if not self.paths:
            return f"{', '.join(parts)}."
        read = f"{_counted(self.files, 'file')} with {_counted(self.lines, 'line')} read"
        left = f", {len(self.skipped)} skipped" if self.skipped else ""
        out = f", {self.ignored} left out by .gitignore" if self.ignored else ""
        return f"{', '.join(parts)}; {read}{left}{out}."

    def _of_database(self) -> Iterator[str]:
        if self.in_database:
            yield f"{_counted(len(self.database), 'object')} of the database"
            if owned := sum(entry.owned for entry in self.database):
                yield f"{owned} of them going with the column"

    def _of_files(self) -> Iterator[str]:
        if not self.paths:
            return
        by_confidence = Counter(finding.confidence for finding in self.findings)
        found = [
            f"{by_confidence[name]} {name}"
            for name in ("certain", "likely", "possible")
            if by_confidence[name]
        ]
        sure = f" ({', '.join(found)})" if found else ""
        yield f"{_counted(len(self.findings), 'reference')}{sure}"
        listed = " (--all lists them)" if self.unrelated and not self.everything else ""
        yield f"{len(self.unrelated)} unrelated{listed}"

    def _verdict(self) -> tuple[Note, ...]:
        number = len(self.counting) + len(self.counting_objects)
        if self.baseline_written is not None:
            return (Note(_line(f"The baseline is written: {self.baseline_written}")),)
        if not number:
            return (Note(f"Nothing {self._counted_as()} uses {self.column} of {self.table}."),)
        stands = "references stand" if number > 1 else "reference stands"
        return (
            Note(
                f"{number:,} {stands} against dropping {self.column} ({self.fail_on} or surer).",
                "problem",
            ),
        )

    def _counted_as(self) -> str:
        return {"certain": "certainly", "likely": "certainly or likely"}.get(
            self.fail_on, "possibly"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _section(title: str, findings: Iterable[Finding]) -> list[Block]:
    text = "\n".join(
        "\n".join(_lines(group)) for _, group in groupby(findings, key=lambda finding: finding.file)
    )
    return [Heading(title), Code(text)] if text else []


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        context = "" if finding.context == "runtime" else f", {finding.context}"
        because = f" ({finding.because})" if finding.because else ""
        place = f"{finding.file}:{finding.line}:{finding.column}"
        yield _line(f"{place}: {finding.confidence} {finding.kind}{context}{because}")
        yield f"    {finding.text}".replace("\n", "\\n")
        if finding.suggestion:
            yield _line(f"    > {finding.suggestion}")


def _objects(title: str, entries: Sequence[DatabaseEntry]) -> list[Block]:
    lines = []
    for entry in entries:
        because = f" ({entry.because})" if entry.because else ""
        owned = ", goes with the column" if entry.owned else ""
        lines.append(_line(f"{entry.object}: {entry.confidence}{owned}{because}"))
        if entry.suggestion:
            lines.append(_line(f"    > {entry.suggestion}"))
    return [Heading(title), Code("\n".join(lines))] if lines else []


def _stale(entry: Stale) -> str:
    if not entry.text:
        return f"the baseline has what is gone, or has changed: {entry.what}"
    return f"the baseline has what is gone: {entry.what}: {entry.kind} {entry.text}"


def _line(text: str) -> str:
    """What is one line whatever is in it: a name, too, may have a line break."""
    return text.replace("\n", "\\n").replace("\t", "\\t")
