"""Text of one language that stands in a file of another: scripts in YAML, code in documents, cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from memory_maintenance.audit.candidate import Candidate, Context
from memory_maintenance.audit.languages import LANGUAGES, PLAIN, Language
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.subject import Subject


def language_named(name: str) -> Language:
    """The language of that name, or plain text."""
    return next((language for language in LANGUAGES if language.name == name), PLAIN)


def language_of_file(name: str) -> Language | None:
    """The language that files of such a name are of; None where the name doesn't say."""
    if "." not in name:
        return None
    suffix = PurePosixPath(name).suffix
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)


def scan_embedded(
    language: Language,
    spliced: Spliced,
    source: Source,
    subject: Subject,
    context: Context | None = None,
) -> Iterator[Candidate]:
    """What the scanner of a language says of a piece of another file, at the places in that file.

    context: what all of it is; None leaves that to the scanner. Of a piece that can't be read to its end that
    which could be.
    """
    text = spliced.text
    piece = Source(source.path, text, source.context, source.derived)
    for candidate in _as_far_as_it_goes(language, piece, subject):
        yield replace(
            candidate,
            offset=spliced.offset_at(candidate.offset),
            context=context or candidate.context,
        )


def _as_far_as_it_goes(language: Language, piece: Source, subject: Subject) -> Iterator[Candidate]:
    with suppress(Unreadable, RecursionError):
        yield from language.scanner()(piece, subject)
