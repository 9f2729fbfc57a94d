"""A result as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from memory_maintenance import __version__
from memory_maintenance.audit.baseline import key_of, key_of_object
from memory_maintenance.audit.findings import DatabaseEntry, Finding
from memory_maintenance.audit.formats.places import path_of
from memory_maintenance.audit.result import AuditResult
from memory_maintenance.model.result import Result

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"certain": "error", "likely": "warning", "possible": "note"}
_OBJECT: Final = "database-object"
_WHOLE_ROW: Final = "whole-row"
_RULES: Final = {
    "read": "A read of the retired column",
    "write": "A write to the retired column",
    "definition": "A definition of the retired column",
    _OBJECT: "An object of the database that depends on the retired column",
    _WHOLE_ROW: "Whole rows are taken, the retired column among the others",
}
_RULE_IDS: Final = tuple(_RULES)
_FINGERPRINT: Final = "reference/v1"


def render(result: Result, page: object) -> str:  # noqa: ARG001 - what every renderer takes
    """The result as one run. Columns are counted in characters, as everywhere in the result."""
    assert isinstance(result, AuditResult)
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(result)]}
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def _run(result: AuditResult) -> dict[str, Any]:
    return {
        "tool": {
            "driver": {
                "name": "memory-maintenance audit-data-type-refs",
                "version": __version__,
                "rules": [
                    {"id": rule, "shortDescription": {"text": text}}
                    for rule, text in _RULES.items()
                ],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {"text": f"Not read, or not as what it is: {skipped.because}"},
                        "locations": [{"physicalLocation": _artifact(result, skipped.file)}],
                    }
                    for skipped in result.skipped
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": list(_results(result)),
    }


def _results(result: AuditResult) -> Iterator[dict[str, Any]]:
    alike: Counter[str] = Counter()
    for finding in result.findings:
        yield _finding(result, finding, alike)
    for finding in result.known_findings:
        yield {**_finding(result, finding, alike), "suppressions": [{"kind": "external"}]}
    for finding, reason in result.suppressed_findings:
        suppression = {"kind": "inSource", "justification": reason}
        yield {**_finding(result, finding, alike), "suppressions": [suppression]}
    for finding in result.whole_rows:
        noted = _finding(result, finding, alike)
        yield {**noted, **_rule(_WHOLE_ROW), "kind": "informational", "level": "none"}
    for entry in result.database:
        noted = {"kind": "informational", "level": "none"} if entry.owned else {}
        yield {**_object(entry, alike), **noted}
    for entry in result.known_objects:
        yield {**_object(entry, alike), "suppressions": [{"kind": "external"}]}


def _finding(result: AuditResult, finding: Finding, alike: Counter[str]) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column}
    if finding.length:
        region["endColumn"] = finding.column + finding.length
    place: dict[str, Any] = {**_artifact(result, finding.file), "region": region}
    if finding.text:
        place["contextRegion"] = {"startLine": finding.line, "snippet": {"text": finding.text}}
    what = f"{finding.confidence.capitalize()} {finding.kind} of {result.column}"
    return {
        **_rule(finding.kind),
        "level": _LEVELS[finding.confidence],
        "message": {"text": _message(what, finding.because, finding.suggestion)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": _fingerprint(key_of(finding), alike),
        "properties": {"confidence": finding.confidence, "context": finding.context},
    }


def _object(entry: DatabaseEntry, alike: Counter[str]) -> dict[str, Any]:
    what = f"{entry.object} depends on it ({entry.confidence})"
    return {
        **_rule(_OBJECT),
        "level": _LEVELS[entry.confidence],
        "message": {"text": _message(what, entry.because, entry.suggestion)},
        "locations": [
            {"logicalLocations": [{"fullyQualifiedName": entry.object, "kind": entry.kind}]}
        ],
        "partialFingerprints": _fingerprint(key_of_object(entry), alike),
        "properties": {"confidence": entry.confidence, "context": "runtime"},
    }


def _rule(rule: str) -> dict[str, Any]:
    return {"ruleId": rule, "ruleIndex": _RULE_IDS.index(rule)}


def _message(what: str, because: str, suggestion: str) -> str:
    return "; ".join(filter(None, (what, because, suggestion)))


def _artifact(result: AuditResult, file: str) -> dict[str, Any]:
    path = path_of(result, file)
    # The bytes of the name, whether or not they are text.
    uri = quote(os.fsencode(path))
    return {"artifactLocation": {"uri": f"file://{uri}" if Path(path).is_absolute() else uri}}


def _fingerprint(key: tuple[str, ...], alike: Counter[str]) -> dict[str, str]:
    """The same for the same reference wherever it moves within its file; of alike ones each its own."""
    digest = hashlib.sha256("\0".join(key).encode(errors="backslashreplace")).hexdigest()
    alike[digest] += 1
    return {_FINGERPRINT: f"{digest}:{alike[digest]}"}
