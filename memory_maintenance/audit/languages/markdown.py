"""Documents: Markdown, reStructuredText and AsciiDoc. Prose, and code that is read as what it says it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from markdown_it import MarkdownIt

from memory_maintenance.audit.candidate import Candidate, Confidence, Context
from memory_maintenance.audit.languages import LANGUAGES, PLAIN
from memory_maintenance.audit.languages.embedded import language_named, scan_embedded
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.subject import Subject

LARGEST = 3_000_000
"""Characters; all of a larger file is prose."""
_LONGEST_LINE = 1_000
_DEEPEST = 3
"""How many documents may stand within each other."""
_LANGUAGES = MappingProxyType(
    {
        **{language.name: language.name for language in LANGUAGES},
        "bash": "shell",
        "ipython": "python",
        "js": "javascript",
        "json5": "json",
        "jsonc": "json",
        "jsonl": "json",
        "jsx": "javascript",
        "ksh": "shell",
        "md": "markdown",
        "mjs": "javascript",
        "node": "javascript",
        "pgsql": "sql",
        "plpgsql": "sql",
        "postgres": "sql",
        "postgresql": "sql",
        "psql": "sql",
        "py": "python",
        "python3": "python",
        "rst": "markdown",
        "sh": "shell",
        "ts": "typescript",
        "tsx": "typescript",
        "yml": "yaml",
        "zsh": "shell",
    }
)
_SHELL_PROMPTS = ("$ ", "# ", "> ")
_PYTHON_PROMPTS = (">>> ", "... ")
_SESSIONS = MappingProxyType(
    {
        "console": ("shell", _SHELL_PROMPTS),
        "shell-session": ("shell", _SHELL_PROMPTS),
        "sh-session": ("shell", _SHELL_PROMPTS),
        "shellsession": ("shell", _SHELL_PROMPTS),
        "terminal": ("shell", _SHELL_PROMPTS),
        "pycon": ("python", _PYTHON_PROMPTS),
        "diff": ("text", ("+", "-", " ")),
        "patch": ("text", ("+", "-", " ")),
    }
)
"""Transcripts: what is typed stands behind a prompt, the rest was printed. Changes look likewise."""
_INFO = re.compile(r"[{.\s]*(?:code(?:-block)?\}?\s+|sourcecode\s+)?([\w+-]*)")
_FENCE = re.compile(r"`{3}|~{3}")
_LINE_END = re.compile(r"\r\n|\r|\n")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.\s+(?:code(?:-block)?|sourcecode|highlight)::[ \t]*([\w+-]*)")
_OPTION = re.compile(r"\s*:[\w-]+:")
_LISTING = re.compile(r"\[\s*(?:source|%[\w-]+)?\s*,\s*([\w+-]+)[^\]\n]*\]\s*$")
_DELIMITERS = ("----", "....", "```")


@dataclass(frozen=True, slots=True)
class _Code:
    """A block of code. lines: each with its place, without the indentation of the block."""

    language: str
    lines: Sequence[tuple[int, str]]


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a document says of the column: all of it is prose, but code is understood."""
    yield from _scanned(source, subject, 0)


def _scanned(source: Source, subject: Subject, depth: int) -> Iterator[Candidate]:
    said = set()
    if len(source.text) <= LARGEST:
        for code in _codes(source, subject):
            for candidate in _of_code(code, source, subject, depth):
                said.add(candidate.offset)
                yield candidate
    for match in subject.column_word.finditer(source.text):
        if match.start() not in said:
            yield Candidate(match.start(), Confidence.POSSIBLE, context=Context.PROSE)


def _of_code(code: _Code, source: Source, subject: Subject, depth: int) -> Iterator[Candidate]:
    name, prompts = _SESSIONS.get(code.language, (_LANGUAGES.get(code.language, "text"), ()))
    spliced = Spliced()
    for start, line in code.lines:
        prompt = next((prompt for prompt in prompts if line.startswith(prompt)), "")
        if prompt or not prompts:
            spliced.literal(line[len(prompt) :], start + len(prompt))
        spliced.literal("\n", start + len(line), fixed=True)
    text = spliced.text
    if not subject.column_word.search(text) and not subject.table_word.search(text):
        return
    if name != "markdown":
        language = language_named(name) if name != "text" else PLAIN
        yield from scan_embedded(language, spliced, source, subject, Context.PROSE)
    elif depth < _DEEPEST:
        inner = Source(source.path, text, source.context, source.derived)
        for candidate in _scanned(inner, subject, depth + 1):
            yield candidate.moved(spliced.offset_at(candidate.offset))


def _codes(source: Source, subject: Subject) -> Iterator[_Code]:
    """The blocks of code, by the form of the document."""
    form = source.path.rpartition(".")[2].lower()
    if form == "rst":
        return _directives(_lines_of(source.text))
    if form == "adoc":
        return _listings(_lines_of(source.text))
    return _fences(source.text) if _may_stand_in_code(source.text, subject) else iter(())


def _may_stand_in_code(text: str, subject: Subject) -> bool:
    """Whether a word stands behind a fence or on an indented line: parsing takes seconds a megabyte."""
    fence = _FENCE.search(text)
    first = fence.start() if fence else len(text)
    for word in (subject.column_word, subject.table_word):
        for match in word.finditer(text):
            near = max(match.start() - _LONGEST_LINE, 0)
            line = max(near, *(text.rfind(end, near, match.start()) + 1 for end in "\r\n"))
            if match.start() > first or text[line] in " \t>":
                return True
    return False


def _lines_of(text: str) -> list[tuple[int, str]]:
    lines, start = [], 0
    for match in _LINE_END.finditer(text):
        lines.append((start, text[start : match.start()]))
        start = match.end()
    lines.append((start, text[start:]))
    return lines


def _named(info: str) -> str:
    """The language that an info string names: sql, {.sql}, {code-block} sql, sql title="x"."""
    match = _INFO.match(info)
    return match[1].lower() if match else ""


def _fences(text: str) -> Iterator[_Code]:
    lines = _lines_of(text)
    # What stands within a line needs no grammar here: the rule for it is left out.
    for token in MarkdownIt("commonmark").disable("inline").parse(text):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        first = token.map[0] + (token.type == "fence")
        content = token.content.removesuffix("\n").split("\n")
        yield _Code(_named(token.info), _placed(content, lines[first:]))


def _placed(content: Sequence[str], lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines of a block where they stand: each is the end of its line in the file."""
    return [
        (start + max(len(line) - len(inner), 0), inner)
        for inner, (start, line) in zip(content, lines, strict=False)
    ]


def _directives(lines: Sequence[tuple[int, str]]) -> Iterator[_Code]:
    """Of reStructuredText: what is indented below the directive, or below two colons."""
    number = 0
    while number < len(lines):
        line = lines[number][1]
        directive = _DIRECTIVE.match(line)
        number += 1
        if directive is None and not line.rstrip().endswith("::"):
            continue
        depth = len(line) - len(line.lstrip())
        block = []
        while number < len(lines) and (
            not lines[number][1].strip() or _indentation(lines[number][1]) > depth
        ):
            block.append(lines[number])
            number += 1
        if directive is not None:
            while block and _OPTION.match(block[0][1]):
                block.pop(0)
        yield _Code(directive[2].lower() if directive else "", _dedented(block))


def _listings(lines: Sequence[tuple[int, str]]) -> Iterator[_Code]:
    """Of AsciiDoc: between two equal delimiters, with the language in brackets above."""
    number, language = 0, ""
    while number < len(lines):
        line = lines[number][1].rstrip()
        number += 1
        if listing := _LISTING.match(line):
            language = listing[1].lower()
        elif line.startswith(_DELIMITERS):
            fence = line if not line.startswith("```") else "```"
            language = language or _named(line[3:]) if fence == "```" else language
            block = []
            while number < len(lines) and lines[number][1].rstrip() != fence:
                block.append(lines[number])
                number += 1
            number += 1
            yield _Code(language, block)
            language = ""
        elif line and not line.startswith("."):
            language = ""


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _dedented(block: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    depth = min((_indentation(line) for _, line in block if line.strip()), default=0)
    return [(start + min(depth, len(line)), line[depth:]) for start, line in block]
