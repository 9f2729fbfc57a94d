"""Keeps passwords out of what is printed for reasons that nobody foresaw.

Errors of ours are written without secrets. This is the second line of defence, for text that others
wrote: an exception of a driver that quotes the connection string, or an option echoed by the
parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import unquote

MASK = "***"

Scrub = Callable[[str], str]

# Up to the last @ of the run: a password may hold an @ that nobody encoded.
_IN_URL = re.compile(r"(://[^\s:/@]*:)\S*@")

# password=x, password = 'x y', "password": "x", sslpassword=x, PGPASSWORD=x. An unclosed quote
# hides all that follows it, since where the secret ends can't be known.
_IN_KEYWORDS = re.compile(
    r"""(password["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*(?:"|\Z)|'(?:[^'\\]|\\.)*(?:'|\Z)|[^\s&"']+)""",
    re.IGNORECASE,
)


def mask(text: str) -> str:
    """The text without the passwords that stand in a URL or behind "password=" or "password:"."""
    return _IN_KEYWORDS.sub(rf"\1{MASK}", _IN_URL.sub(rf"\1{MASK}@", text))


def scrubber(environ: Mapping[str, str], arguments: Sequence[str]) -> Scrub:
    """A function that masks as ``mask`` does, and this call's own passwords wherever they stand.

    environ: holds PGPASSWORD and MEMORY_MAINTENANCE_DSN, if any. arguments: the command line, for
    --dsn.
    """
    # The longest first: a password that contains another must not leave its rest behind.
    literals = sorted(set(_literals(environ, arguments)), key=len, reverse=True)

    def scrub(text: str) -> str:
        # Patterns first: they need the text's own shape.
        text = mask(text)
        for literal in literals:
            text = text.replace(literal, MASK)
        return text

    return scrub


def _literals(environ: Mapping[str, str], arguments: Sequence[str]) -> Iterator[str]:
    if password := environ.get("PGPASSWORD"):
        yield password
    for dsn in (environ.get("MEMORY_MAINTENANCE_DSN", ""), *_dsn_arguments(arguments)):
        for password in _passwords(dsn):
            yield password
            yield unquote(password)


def _dsn_arguments(arguments: Sequence[str]) -> Iterator[str]:
    for position, argument in enumerate(arguments):
        if argument == "--dsn" and position + 1 < len(arguments):
            yield arguments[position + 1]
        elif argument.startswith("--dsn="):
            yield argument.removeprefix("--dsn=")


def _passwords(dsn: str) -> Iterator[str]:
    _, scheme, rest = dsn.partition("://")
    if scheme and "@" in rest:
        # Whole, spaces and all: here the text is known to be a connection string.
        _, _, password = rest.rpartition("@")[0].partition(":")
        if password:
            yield password
    for match in _IN_KEYWORDS.finditer(dsn):
        if password := match[2].strip("\"'"):
            yield password
