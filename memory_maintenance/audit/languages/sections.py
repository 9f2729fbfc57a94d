"""Sections of settings (TOML, INI): which of them are about another table."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_maintenance.audit.candidate import Candidate, Confidence
from memory_maintenance.audit.subject import Subject

_HEADER = re.compile(r"^[ \t]*\[{1,2}([^\[\]\n]{1,200})\]{1,2}[ \t]*(?:[#;].*)?$", re.MULTILINE)
_TABLE = re.compile(
    r"^[ \t]*(?:table|table_name|tablename|source_table|from_table)[ \t]*[=:][ \t]*"
    r"[\"']?(?:\w+\.)?(\w+)[\"']?[ \t]*(?:[#;].*)?$",
    re.MULTILINE | re.IGNORECASE,
)

# [tables.sheet_columns]
_NAMED = re.compile(r"[ \t]*\[{1,2}[ \t]*tables?\.\"?(?:\w+\.)?(\w+)\"?[ \t]*\]")


def of_sections(text: str, subject: Subject, found: Iterable[Candidate]) -> Iterator[Candidate]:
    """Candidates as their sections judge them: what isn't resolved, in one that names another table only."""
    starts, others = _sections(text, subject)
    for candidate in found:
        other = others[bisect_right(starts, candidate.offset) - 1]
        judged = candidate.confidence in (Confidence.POSSIBLE, Confidence.LIKELY)
        if other and judged and candidate.context is None:
            yield replace(
                candidate,
                confidence=Confidence.UNRELATED,
                near=False,
                because=f"a column of {other}",
            )
        else:
            yield candidate


def _sections(text: str, subject: Subject) -> tuple[list[int], list[str]]:
    """Where sections begin, and which other table each is about, or "". Subsections belong to sections."""
    starts = [0]
    outer = ""
    for header in _HEADER.finditer(text):
        name = header[1].strip()
        if "," in name:
            continue  # a list within a list
        if not (outer and name.startswith(f"{outer}.")):
            starts.append(header.start())
            outer = name
    ends = [*starts[1:], len(text)]
    # What stands before the first section holds for all of them.
    return starts, [
        "",
        *(_other(text, subject, *span) for span in zip(starts[1:], ends[1:], strict=True)),
    ]


def _other(text: str, subject: Subject, start: int, end: int) -> str:
    named = _NAMED.match(text, start) or _TABLE.search(text, start, end)
    if named is None or subject.table_word.search(text, start, end):
        return ""
    return named[1]
