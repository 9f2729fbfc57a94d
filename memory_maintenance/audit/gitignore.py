"""Patterns of .gitignore, exactly as git reads them.

A pattern is asked about one path at a time, not about what is below it: who walks doesn't go into a folder
that is left out. There libraries differ from git, for which `gen/**` leaves out what is in gen, and not gen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_BOM: Final = b"\xef\xbb\xbf"
_SLASH: Final = b"/"
_STAR: Final = b"*"
_NEVER: Final = b"(?!)"
_CLASSES: Final = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b" \\t-\\r",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A line of it. leaves_out: without an exclamation mark. by_name: it is about the last part of a path."""

    expression: re.Pattern[bytes]
    leaves_out: bool
    folders_only: bool
    by_name: bool

    def matches(self, path: bytes, *, folder: bool) -> bool:
        """Whether it is about a path, which is relative to the pattern's file and has no slash at its end."""
        if self.folders_only and not folder:
            return False
        text = path.rpartition(_SLASH)[2] if self.by_name else path
        return self.expression.fullmatch(text) is not None


def patterns_in(data: bytes) -> tuple[Pattern, ...]:
    """The patterns of a file, the last one first: that decides."""
    lines = data.removeprefix(_BOM).split(b"\n")
    # The end of the last line is no carriage return's.
    lines = [*(line.removesuffix(b"\r") for line in lines[:-1]), lines[-1]]
    found = (_pattern(line) for line in reversed(lines) if not line.startswith(b"#"))
    return tuple(pattern for pattern in found if pattern is not None)


def _pattern(line: bytes) -> Pattern | None:
    line = _without_spaces(line)
    leaves_out = not line.startswith(b"!")
    body = line if leaves_out else line[1:]
    folders_only = body.endswith(_SLASH)
    body = body.removesuffix(_SLASH)
    if not body:
        return None
    by_name = _SLASH not in body
    parts = _parts(_tokens(body.removeprefix(_SLASH)))
    expression = re.compile(_whole(parts), re.DOTALL)
    return Pattern(expression, leaves_out, folders_only, by_name)


def _without_spaces(line: bytes) -> bytes:
    """Without the spaces at its end that no backslash keeps."""
    end = i = 0
    while i < len(line):
        i += 2 if line[i : i + 1] == b"\\" else 1
        if line[i - 1 : i] != b" " or line[i - 2 : i - 1] == b"\\":
            end = i
    return line[:end]


def _tokens(body: bytes) -> Iterator[bytes]:
    """The expression of each part of a pattern that stands for a character; stars and slashes as they are."""
    i = 0
    while i < len(body):
        sign = body[i : i + 1]
        i += 1
        if sign == b"?":
            yield b"[^/]"
        elif sign in (_STAR, _SLASH):
            yield sign
        elif sign == b"[":
            expression, i = _set(body, i)
            yield expression
        elif sign == b"\\":
            sign = body[i : i + 1]
            i += 1
            yield re.escape(sign) if sign else _NEVER
        else:
            yield re.escape(sign)


def _set(body: bytes, i: int) -> tuple[bytes, int]:
    """The expression of what follows a bracket, and where it ends."""
    negated = body[i : i + 1] in (b"!", b"^")
    i += negated
    ranges = []
    first = True
    while first or body[i : i + 1] != b"]":
        first = False
        if body.startswith(b"[:", i):
            end = body.find(b":]", i)
            name = body[i + 2 : end] if end >= 0 else b""
            if name not in _CLASSES:
                return _NEVER, len(body)
            ranges.append(_CLASSES[name])
            i = end + 2
            continue
        low, i = _one(body, i)
        high = low
        if body[i : i + 1] == b"-" and body[i + 1 : i + 2] not in (b"", b"]"):
            high, i = _one(body, i + 1)
        if not low or not high:
            return _NEVER, len(body)
        if low <= high:
            ranges.append(re.escape(low) + b"-" + re.escape(high))
    listed = b"".join(ranges)
    if not listed:
        return (b"[^/]" if negated else _NEVER), i + 1
    return (b"[^/" + listed + b"]" if negated else b"(?!/)[" + listed + b"]"), i + 1


def _one(body: bytes, i: int) -> tuple[bytes, int]:
    """A character of a set, which may have a backslash before it; none where the pattern ends."""
    i += body[i : i + 1] == b"\\"
    return body[i : i + 1], i + 1


def _parts(tokens: Iterable[bytes]) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _SLASH:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _whole(parts: list[list[bytes]]) -> bytes:
    expression = b""
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if len(part) > 1 and set(part) == {_STAR}:
            expression += b".*" if last else b"(?:.*/)?"
        else:
            expression += _within(part) + (b"" if last else _SLASH)
    return expression


def _within(part: list[bytes]) -> bytes:
    """The expression of what stands between slashes.

    What follows a star is taken where it is first seen and not looked for again, but for the last: however
    many stars there are, it takes no longer.
    """
    pieces = [b""]
    for token in part:
        if token == _STAR:
            pieces.append(b"")
        else:
            pieces[-1] += token
    first, *rest = pieces
    if not rest:
        return first
    between = b"".join(b"(?>[^/]*?" + piece + b")" for piece in rest[:-1] if piece)
    return first + between + b"[^/]*" + rest[-1]
