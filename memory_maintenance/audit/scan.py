"""The audit of files: which are read, by what, and what is made of what their scanners say.

All files are looked at once, as bytes. Only those that have the column's name or a table's are read a second
time, as text, by the scanner of their language. Nothing but the findings is kept.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind, best_of
from memory_maintenance.audit.contexts import context_of
from memory_maintenance.audit.derived import (
    Definition,
    definitions_in,
    derived_from,
    may_define,
)
from memory_maintenance.audit.files import (
    BINARY,
    Look,
    Needles,
    Unread,
    blocks_of,
    decoded,
    language_of,
    look,
    read,
)
from memory_maintenance.audit.findings import Finding, Skipped, excerpt
from memory_maintenance.audit.ignore import MARKED, Ignore, ignores_in
from memory_maintenance.audit.languages import Language
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.remarks import remarks_in
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject
from memory_maintenance.audit.suggestions import suggestion_for, whole_row_suggestion
from memory_maintenance.audit.walk import File, Walk, unreadable
from memory_maintenance.audit.words import words_in

MOST: Final = 10_000
"""Places of one file that are listed. What has more is data, and one place is enough to say so."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Report:
    """What was found in one file, or in all of them. ignored: what patterns of git have left out."""

    findings: list[Finding] = field(default_factory=list)
    unrelated: list[Finding] = field(default_factory=list)
    whole_rows: list[Finding] = field(default_factory=list)
    suppressed: list[tuple[Finding, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: int = 0
    lines: int = 0
    ignored: int = 0

    def add(self, other: Report) -> None:
        """Takes in what was found in a further file; that has been counted."""
        self.findings += other.findings
        self.unrelated += other.unrelated
        self.whole_rows += other.whole_rows
        self.suppressed += other.suppressed
        self.skipped += other.skipped
        self.notes += other.notes


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file to be read. by_words: why it isn't parsed, or ""."""

    file: File
    named: bool
    by_words: str


def audit(paths: Sequence[str], subject: Subject, *, leave_out: Collection[str] = ()) -> Report:
    """What the files below the paths say of the column. leave_out: real paths of files not to be told.

    Raises UsageError for a path that isn't there or can't be read. All else that can't be is in ``skipped``.
    """
    report = Report()
    wanted: list[_Wanted] = []
    definitions: list[Definition] = []
    needles = Needles.of(subject)
    walk = Walk(paths, leave_out)
    for item in walk:
        if isinstance(item, Skipped):
            report.skipped.append(item)
            continue
        try:
            seen = look(item.path, needles)
        except Unread as reason:
            if item.given and str(reason) != BINARY:
                raise unreadable(item.given, str(reason)) from None
            report.skipped.append(Skipped(item.shown, str(reason)))
            continue
        report.files += 1
        report.lines += seen.lines
        definitions += _definitions(item, seen)
        if seen.matters:
            wanted.append(_Wanted(item, seen.column or seen.table, seen.because))
        elif not seen.data.isascii() and (problem := _decoded(item, seen.data)[1]):
            report.skipped.append(Skipped(item.shown, problem))
    report.ignored = walk.ignored
    derived = derived_from(subject.table_names, definitions)
    for one in wanted:
        report.add(_audited(one, subject, derived))
    report.skipped.sort(key=lambda skipped: skipped.file)
    return report


def scanned(
    path: str,
    text: str,
    subject: Subject,
    *,
    place: str | None = None,
    derived: frozenset[str] = frozenset(),
) -> Report:
    """What one file's text says of the column. place: the path that its context goes by; by default its own.

    derived: what other files make of the table; what this one makes of it is found in it.
    """
    own = definitions_in(text) if may_define(text.lower().encode(errors="replace")) else ()
    source = Source(
        path,
        text,
        context_of(path if place is None else place),
        derived | derived_from(subject.table_names | derived, own) - subject.table_names,
    )
    report = Report()
    language = language_of(path, text[:200])
    candidates, problem = _candidates(source, language, subject)
    if problem:
        report.skipped.append(Skipped(path, problem))
    named = source.names_table(subject)
    best = best_of(candidate.where(table_named=named) for candidate in candidates)
    ignores = _ignores(source, language)
    for candidate in best:
        if 0 <= candidate.offset <= len(text):
            _file(report, _finding(source, candidate, subject), candidate, ignores)
    _limit(report, path)
    if source.context is not Context.PROSE and not problem:
        report.notes += _unneeded(path, ignores)
    return report


def _definitions(file: File, seen: Look) -> Iterator[Definition]:
    """What a file makes of other relations for all to see."""
    # Most files that create something have nothing to do with the table, and views of views are few.
    relevant = seen.table or seen.column or (b"create" in seen.lower and b"view" in seen.lower)
    if relevant and may_define(seen.lower):
        for definition in definitions_in(_decoded(file, seen.data)[0]):
            if not definition.temporary:
                yield definition


def _decoded(file: File, data: bytes) -> tuple[str, str]:
    result = decoded(data, language_of(file.shown, ""))
    return result.text, result.problem


def _audited(wanted: _Wanted, subject: Subject, derived: frozenset[str]) -> Report:
    file = wanted.file
    try:
        if wanted.by_words:
            return _by_words(wanted, subject)
        text, problem = _decoded(file, read(file.path))
    except Unread as reason:
        return Report(skipped=[Skipped(file.shown, str(reason))])
    if wanted.named:
        report = scanned(file.shown, text, subject, place=file.place, derived=derived)
    else:
        report = Report()
        if context_of(file.place) is not Context.PROSE:
            source = Source(file.shown, text)
            report.notes += _unneeded(
                file.shown, _ignores(source, language_of(file.shown, text[:200]))
            )
    if problem:
        report.skipped.append(Skipped(file.shown, problem))
    return report


def _candidates(
    source: Source, language: Language, subject: Subject
) -> tuple[list[Candidate], str]:
    """What the scanner says, and the words that it says nothing of; and why it failed, or ""."""
    found: list[Candidate] = []
    problem = ""
    unread: Sequence[tuple[int, int]] = ()
    try:
        with warnings.catch_warnings():
            # A parser warns of what a file does wrong: that is its authors' matter.
            warnings.simplefilter("ignore")
            for candidate in language.scanner()(source, subject):
                found.append(candidate)  # noqa: PERF402 - what comes before a failure is kept
    except Unreadable as reason:
        problem, unread = str(reason), reason.places or _all_of(source)
    except Exception as error:  # noqa: BLE001 - one file must not end the audit
        problem = f"internal: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        unread = _all_of(source)
        _log.warning("%s was searched for words only: %s", source.path, problem)
        _log.debug("reading %s", source.path, exc_info=error)
    spoken = {candidate.offset for candidate in found if not candidate.whole_row}
    words = (match.start() for match in subject.column_word.finditer(source.text))
    found += (Candidate(offset, Confidence.POSSIBLE) for offset in words if offset not in spoken)
    return [_doubted(candidate, unread) for candidate in found], problem


def _all_of(source: Source) -> tuple[tuple[int, int]]:
    return ((0, len(source.text)),)


def _doubted(candidate: Candidate, unread: Sequence[tuple[int, int]]) -> Candidate:
    """A bare word where nothing could be read may be anything; of a comment it is known what it is."""
    bare = candidate.confidence is Confidence.POSSIBLE and candidate.context is not Context.PROSE
    if bare and any(begin <= candidate.offset < end for begin, end in unread):
        return replace(candidate, near=True)
    return candidate


def _finding(source: Source, candidate: Candidate, subject: Subject) -> Finding:
    offset = candidate.offset
    line, column = source.place(offset)
    length = 0
    if not candidate.whole_row:
        word = subject.column_word.match(source.text, offset)
        word = word or subject.belongings.match(source.text, offset)
        length = len(word[0]) if word else 0
    if candidate.whole_row:
        suggestion = whole_row_suggestion(subject)
    elif candidate.confidence is Confidence.UNRELATED:
        suggestion = ""
    else:
        suggestion = candidate.suggestion or suggestion_for(subject, candidate.kind)
    return Finding(
        file=source.path,
        line=line,
        column=column,
        confidence=candidate.confidence.name.lower(),
        kind=candidate.kind.value,
        context=(candidate.context or source.context).value,
        text=excerpt(source.text, offset - column + 1, offset, length),
        suggestion=suggestion,
        because=candidate.because,
        length=length,
    )


def _file(
    report: Report, finding: Finding, candidate: Candidate, ignores: dict[int, Ignore]
) -> None:
    """Puts a finding where it belongs."""
    if candidate.confidence is Confidence.UNRELATED:
        if not candidate.whole_row:
            report.unrelated.append(finding)
        return
    ignore = ignores.get(finding.line)
    if ignore is not None:
        ignore.used = True
        if ignore.reason:
            report.suppressed.append((finding, ignore.reason))
            return
        told = "an ignore without a reason does not count"
        finding = replace(finding, because="; ".join(filter(None, (finding.because, told))))
    (report.whole_rows if candidate.whole_row else report.findings).append(finding)


def _ignores(source: Source, language: Language) -> dict[int, Ignore]:
    if MARKED.search(source.text) is None:
        return {}
    return ignores_in(source.text, remarks_in(source, language))


def _unneeded(path: str, ignores: dict[int, Ignore]) -> Iterator[str]:
    for line in sorted({ignore.line for ignore in ignores.values() if not ignore.used}):
        yield f"{path}:{line}: there is nothing to ignore any more"


def _limit(report: Report, path: str) -> None:
    for found in (report.findings, report.unrelated, report.whole_rows):
        if len(found) > MOST:
            report.skipped.append(_unlisted(path, len(found) - MOST))
            del found[MOST:]


def _unlisted(path: str, number: int) -> Skipped:
    return Skipped(path, f"{number} more places in it are not listed")


def _by_words(wanted: _Wanted, subject: Subject) -> Report:
    """A file that isn't parsed: each occurrence of the word, as the file names the table or not."""
    file = wanted.file
    report = Report()
    words = words_in(blocks_of(file.path), subject, most=MOST)
    confidence = Confidence.LIKELY if words.names_table else Confidence.POSSIBLE
    context = context_of(file.place)
    report.findings += (
        Finding(
            file.shown,
            word.line,
            word.column,
            confidence.name.lower(),
            Kind.READ.value,
            context.value,
            word.text,
            suggestion_for(subject, Kind.READ),
            wanted.by_words,
            word.length,
        )
        for word in words.found
    )
    if words.count:
        report.skipped.append(Skipped(file.shown, wanted.by_words))
    if words.count > MOST:
        report.skipped.append(_unlisted(file.shown, words.count - MOST))
    return report
