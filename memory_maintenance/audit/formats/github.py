"""A result as commands that GitHub's workflows turn into annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory_maintenance.audit.findings import DatabaseEntry, Finding
from memory_maintenance.audit.formats.places import path_of
from memory_maintenance.audit.result import AuditResult
from memory_maintenance.model.result import Outcome, Result
from memory_maintenance.model.visible import visible

_DATA: Final = (("%", "%25"), ("\n", "%0A"))
_PROPERTY: Final = (*_DATA, (":", "%3A"), (",", "%2C"))


def render(result: Result, page: object) -> str:  # noqa: ARG001 - what every renderer takes
    """One command a finding, those that count first: a workflow shows only the first few.

    What counts is an error, all else a notice.
    """
    assert isinstance(result, AuditResult)
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: AuditResult) -> Iterator[str]:
    fails = result.outcome is Outcome.FINDINGS
    counting = set(result.counting)
    for finding in result.counting:
        yield _finding(result, finding, "error" if fails else "notice")
    for entry in result.counting_objects:
        yield _object(entry, "error" if fails else "notice")
    for finding in result.findings:
        if finding not in counting:
            yield _finding(result, finding, "notice")
    for entry in result.database:
        if not entry.counts(result.threshold):
            yield _object(entry, "notice")
    for note in result.notes:
        yield f"::notice title=audit-data-type-refs::{_escaped(visible(note), _DATA)}"
    if result.skipped:
        text = f"{len(result.skipped)} files were not read, or not as what they are"
        yield f"::notice title=audit-data-type-refs::{text}"


def _finding(result: AuditResult, finding: Finding, level: str) -> str:
    properties = {
        "file": path_of(result, finding.file),
        "line": str(finding.line),
        "col": str(finding.column),
        "title": f"{finding.confidence} {finding.kind} of {result.column}",
    }
    text = visible(finding.text)
    return _command(level, properties, _message(finding.suggestion, finding.because, text))


def _object(entry: DatabaseEntry, level: str) -> str:
    title = {"title": f"{entry.confidence}: {entry.object}"}
    text = visible(entry.definition, keep="\n\t")
    return _command(level, title, _message(entry.suggestion, entry.because, text))


def _message(suggestion: str, because: str, text: str) -> str:
    return "\n".join(filter(None, (visible(suggestion), visible(because), text)))


def _command(level: str, properties: dict[str, str], message: str) -> str:
    shown = {name: visible(value) for name, value in properties.items()}
    spelt = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in shown.items())
    return f"::{level} {spelt}::{_escaped(message, _DATA)}"


def _escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text
