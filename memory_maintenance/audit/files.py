"""Files as text: what is in them, how they are encoded, which language they are of.

Nothing here takes longer, or more memory, than the size of a file explains. Up to ``MAX_PARSED`` bytes are
read at once; what is longer, or has a line of more than ``MAX_LINE``, goes through in blocks and is searched
for words.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from memory_maintenance.audit.ignore import MARKER
from memory_maintenance.audit.languages import LANGUAGES, PLAIN, Language
from memory_maintenance.audit.subject import Subject

MAX_PARSED: Final = 512 << 10
"""Bytes of a file that is still parsed: Python's syntax tree of 4 MB took 1.4 GB."""

MAX_LINE: Final = 256 << 10
"""Bytes of a line in a file that is still parsed."""

BINARY: Final = "binary"
"""Why a file isn't read that no text is in."""

_BLOCK: Final = 1 << 20
_HEAD: Final = 8192
_OVERLAP: Final = 1024
_BOMS: Final = (
    # The mark of UTF-32 begins as that of UTF-16 does.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COOKIE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")
_ASCII: Final = re.compile(r"[\x00-\x7f]+")
_PARTS_OF_TEMPLATES: Final = frozenset(
    {".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".in", ".erb", ".example", ".sample"}
)


class Unread(Exception):  # noqa: N818 - it is data: the list of skipped files
    """A file that wasn't read. The message says why."""


@dataclass(frozen=True, slots=True)
class Needles:
    """What makes a file matter, as bytes in lower case that any encoding but UTF-16 and 32 has."""

    column: bytes
    tables: tuple[bytes, ...]
    marker: bytes = MARKER.encode()

    @classmethod
    def of(cls, subject: Subject) -> Needles:
        """Those of a subject."""
        return cls(_needle(subject.column), tuple(_needle(name) for name in subject.table_names))


def _needle(name: str) -> bytes:
    # Of a name with other letters the longest run of ASCII: rather too much is looked at than too little.
    return max(_ASCII.findall(name), key=len, default="").lower().encode()


@dataclass(frozen=True, slots=True)
class Look:
    """A first look at a file. column, table, marker: whether these may stand in it. because: why it isn't
    parsed, or "". data: its bytes where it is, in an encoding that has ASCII; lower: in lower case."""

    lines: int
    column: bool
    table: bool
    marker: bool
    because: str = ""
    data: bytes = b""
    lower: bytes = b""

    @property
    def matters(self) -> bool:
        """Whether anything is to be found in it."""
        return self.column or self.table or self.marker


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, without a byte order mark. problem: what is wrong with it, or ""."""

    text: str
    problem: str = ""


def look(path: str, needles: Needles) -> Look:
    """What a file's bytes say. Raises Unread for a binary, what can't be read, what is no regular file."""
    descriptor, size = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        try:
            # One byte more than is parsed tells whether there is more, whatever the file system says.
            data = file.read(min(size, MAX_PARSED) + 1)
            encoding = _marked(data)
            if encoding is None and b"\0" in data[:_HEAD]:
                raise Unread(BINARY)
            if len(data) <= MAX_PARSED:
                data += file.read(MAX_PARSED + 1 - len(data))
            if len(data) > MAX_PARSED:
                rest = iter(lambda: file.read(_BLOCK), b"")
                return _look_at_blocks(_chained(data, rest), encoding, needles)
        except OSError as error:
            raise Unread(_reason(error)) from None
    if encoding not in (None, "utf-8-sig"):
        data = data.decode(encoding, "replace").encode()
    lower = data.lower()
    return Look(
        lines=data.count(b"\n") + (bool(data) and not data.endswith(b"\n")),
        column=needles.column in lower,
        table=any(name in lower for name in needles.tables),
        marker=needles.marker in lower,
        because=_too_long(data),
        data=data,
        lower=lower,
    )


def read(path: str) -> bytes:
    """The bytes of a file that can be parsed. Raises Unread as ``look`` does, and where it has grown."""
    data = read_bounded(path, MAX_PARSED)
    if len(data) > MAX_PARSED:
        raise Unread("it grew while it was read")
    return data


def read_bounded(path: str, most: int) -> bytes:
    """The bytes of a regular file, no more than one above a number. Raises Unread."""
    descriptor, _ = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(most + 1)
        except OSError as error:
            raise Unread(_reason(error)) from None


def decoded(data: bytes, language: Language = PLAIN) -> Decoded:
    """The text of bytes: by their mark, by what a Python file says of itself, as UTF-8, else as Latin-1."""
    if encoding := _marked(data):
        try:
            return Decoded(data.decode(encoding))
        except UnicodeDecodeError as error:
            text = data.decode(encoding, "replace")
            return Decoded(text, f"not valid {error.encoding}: {error.reason}")
    if language.name == "python" and (declared := _declared(data)):
        try:
            return Decoded(str(data, declared))
        except (LookupError, ValueError):
            return Decoded(data.decode("latin-1"), f"not of the encoding that it names, {declared}")
    try:
        return Decoded(data.decode())
    except UnicodeDecodeError as error:
        place = f"not valid UTF-8 from byte {error.start} on, read as Latin-1"
        return Decoded(data.decode("latin-1"), place)


def blocks_of(path: str) -> Iterator[str]:
    """The text of a file of any size, in blocks. Raises Unread as ``look`` does."""
    for encoding in ("utf-8", "latin-1"):
        try:
            # Not to be told twice what was told before the bytes turned out to be something else.
            for _ in _blocks(path, encoding):
                pass
        except UnicodeDecodeError:
            continue
        yield from _blocks(path, encoding)
        return


def language_of(path: str, head: str) -> Language:
    """The language of a file by its name, else by the program that its first line names.

    What a template's name adds to that of a language is passed over: query.sql.j2. head: how its text begins.
    """
    name = PurePosixPath(path).name
    for language in LANGUAGES:
        if name in language.file_names:
            return language
    stem = PurePosixPath(name.lower())
    while stem.suffix in _PARTS_OF_TEMPLATES:
        stem = PurePosixPath(stem.stem)
    for language in LANGUAGES:
        if stem.suffix in language.suffixes:
            return language
    return _by_interpreter(head) or PLAIN


def _by_interpreter(head: str) -> Language | None:
    if not head.startswith("#!"):
        return None
    for word in head[2:_HEAD].split("\n", 1)[0].split():
        program = word.rpartition("/")[2].rstrip("0123456789.")
        if program == "env" or program.startswith("-") or "=" in program:
            continue
        for language in LANGUAGES:
            if program in language.interpreters:
                return language
        return None
    return None


def _opened(path: str) -> tuple[int, int]:
    """A descriptor of a regular file, and its size. Never waits, as opening a FIFO would."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            raise Unread(kind_of_file(mode))
        # It may have become something else meanwhile.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise Unread(_reason(error)) from None
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise Unread(kind_of_file(state.st_mode))
    return descriptor, state.st_size


def kind_of_file(mode: int) -> str:
    """What stands at a place that has no regular file, by its mode."""
    kinds = {
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
        stat.S_IFDIR: "a directory",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "no regular file")


def _reason(error: OSError | ValueError) -> str:
    text = getattr(error, "strerror", None) or "not to be read"
    return str(text[:1].lower() + text[1:])


def _marked(data: bytes) -> str | None:
    return next((name for bom, name in _BOMS if data.startswith(bom)), None)


def _declared(data: bytes) -> str | None:
    """The encoding that a Python file names in its first two lines (PEP 263)."""
    for line in data[:_HEAD].split(b"\n", 2)[:2]:
        if found := _COOKIE.match(line):
            return found[1].decode("ascii")
        if not _BLANK.match(line):
            return None
    return None


def _too_long(data: bytes) -> str:
    if len(data) <= MAX_LINE:
        return ""
    start = 0
    while start >= 0 and len(data) - start > MAX_LINE:
        end = data.rfind(b"\n", start, start + MAX_LINE + 1)
        if end < 0:
            return f"a line of more than {MAX_LINE >> 10} kB: searched for words only"
        start = end + 1
    return ""


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _look_at_blocks(blocks: Iterator[bytes], encoding: str | None, needles: Needles) -> Look:
    decoder = None
    if encoding not in (None, "utf-8-sig"):
        decoder = codecs.getincrementaldecoder(encoding)("replace")
    lines = 0
    column = table = marker = False
    tail = b""
    ended = True
    for block in blocks:
        if decoder is not None:
            block = decoder.decode(block).encode()  # noqa: PLW2901 - the same block, in the encoding that is searched
        lower = tail + block.lower()
        column = column or needles.column in lower
        table = table or any(name in lower for name in needles.tables)
        marker = marker or needles.marker in lower
        lines += block.count(b"\n")
        ended = block.endswith(b"\n")
        tail = lower[-_OVERLAP:]
    because = f"more than {MAX_PARSED >> 10} kB: searched for words only"
    return Look(lines + (not ended), column, table, marker, because)


def _blocks(path: str, encoding: str) -> Iterator[str]:
    descriptor, _ = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        try:
            block = file.read(_BLOCK)
            marked = _marked(block)
            errors = (
                "strict" if marked in (None, "utf-8-sig") and encoding == "utf-8" else "replace"
            )
            decoder = codecs.getincrementaldecoder(marked or encoding)(errors)
            while block:
                yield decoder.decode(block)
                block = file.read(_BLOCK)
            yield decoder.decode(b"", final=True)
        except OSError as error:
            raise Unread(_reason(error)) from None
