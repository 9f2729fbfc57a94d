"""The labelled corpus of the audit: its cases, and what the audit says of them in the labels' own form."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from memory_maintenance.audit.candidate import Candidate
from memory_maintenance.audit.files import decoded, language_of
from memory_maintenance.audit.findings import Finding
from memory_maintenance.audit.languages import Scan
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.scan import Report, scanned
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.config.load import load
from memory_maintenance.model.mapping import TypeMap

FOLDER = Path(__file__).parents[1] / "corpus"
SUBJECT = Subject(
    "data_type",
    (TableName("", "entity_facts"), TableName("", "entity_facts_archive")),
    TypeMap(load(environ={}).settings.data_type),
)
_SURE = ("certain", "likely")


@dataclass(frozen=True, slots=True)
class Case:
    """A file and its labels: each occurrence of the name in order, "3 certain read", and the lines where
    whole rows are taken. file: below the corpus, its language first."""

    file: str
    about: str
    expect: tuple[str, ...]

    @property
    def language(self) -> str:
        return self.file.split("/", 1)[0]

    @property
    def path(self) -> Path:
        return FOLDER / self.file

    def report(self) -> Report:
        """What the audit says of it. Its language's folder counts as the top."""
        text = decoded(self.path.read_bytes(), language_of(self.file, "")).text
        return scanned(self.file, text, SUBJECT, place=self.file.split("/", 1)[1])

    def verdicts(self) -> tuple[str, ...]:
        """That, in the form of the labels."""
        report = self.report()
        named = [(f, verdict(f)) for f in (*report.findings, *report.unrelated)]
        named += [(f, f"{f.line} whole-row") for f in report.whole_rows]
        named += [(f, verdict(f)) for f, _ in report.suppressed]
        return tuple(text for _, text in sorted(named, key=lambda n: (n[0].line, n[0].column)))


def as_far_as_it_goes(scan: Scan, source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a scanner says of a text, be it broken."""
    with suppress(Unreadable):
        yield from scan(source, subject)


def verdict(finding: Finding) -> str:
    """A finding as a label: line, verdict, kind but for the unrelated, context unless runtime."""
    if finding.confidence == "unrelated":
        return f"{finding.line} unrelated"
    context = "" if finding.context == "runtime" else f" {finding.context}"
    return f"{finding.line} {finding.confidence} {finding.kind}{context}"


def cases() -> list[Case]:
    """All of them, by language."""
    return [
        Case(entry["file"], entry["about"], tuple(entry["expect"]))
        for index in sorted(FOLDER.glob("*.yaml"))
        for entry in yaml.safe_load(index.read_text())
    ]


@dataclass(slots=True)
class Score:
    """Occurrences that are certain or likely by their labels, those that were told as such, and both.

    tried: cases. grep: what ``grep -nw`` tells, in lines, since it knows no more.
    """

    tried: int = 0
    positive: int = 0
    told: int = 0
    right: int = 0
    occurrences: int = 0
    grep_told: int = 0
    grep_right: int = 0
    grep_positive: int = 0

    @property
    def recall(self) -> float:
        """Of what is about the column, how much is told."""
        return _ratio(self.right, self.positive)

    @property
    def precision(self) -> float:
        """Of what is told, how much is about the column."""
        return _ratio(self.right, self.told)

    @property
    def grep_recall(self) -> float:
        """The same for grep."""
        return _ratio(self.grep_right, self.grep_positive)

    @property
    def grep_precision(self) -> float:
        """The same for grep."""
        return _ratio(self.grep_right, self.grep_told)

    def add(self, case: Case) -> None:
        """Counts a case. Labels and verdicts are matched line by line."""
        self.tried += 1
        labelled, told = _sure_lines(case.expect), _sure_lines(case.verdicts())
        self.positive += sum(labelled.values())
        self.told += sum(told.values())
        self.right += sum(min(number, told.get(line, 0)) for line, number in labelled.items())
        self.occurrences += sum("whole-row" not in label for label in case.expect)
        lines = set(grep(case.path))
        self.grep_told += len(lines)
        self.grep_positive += len(labelled)
        self.grep_right += len(lines & labelled.keys())


def _sure_lines(verdicts: tuple[str, ...]) -> dict[int, int]:
    """How many certain or likely ones each line has."""
    found: dict[int, int] = {}
    for text in verdicts:
        line, verdict_, *_ = text.split()
        if verdict_ in _SURE:
            found[int(line)] = found.get(int(line), 0) + 1
    return found


def grep(path: Path) -> Iterator[int]:
    """The lines in which grep finds the name as a word."""
    argv = ["grep", "-naw", "--", SUBJECT.column, str(path)]
    done = subprocess.run(argv, check=False, capture_output=True)
    for line in done.stdout.splitlines():
        yield int(line.split(b":", 1)[0])


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
