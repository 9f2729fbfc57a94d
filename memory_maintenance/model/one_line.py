"""Text of strangers for a place that is one line: bounded, without what steers, escaped for markdown.

Facts are whatever was said. A line break in one must not look like another item, nor a link or heading in one
like something that the tool has said.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

ELLIPSIS: Final = "…"

# Emoji and several scripts need these format characters.
_JOINERS: Final = frozenset("\u200c\u200d")
_SEPARATORS: Final = frozenset({"Zs", "Zl", "Zp"})
# Control, format (bidi overrides, zero-width), surrogate, private use, unassigned.
_WITHOUT_SHAPE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SPACES: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
# CommonMark takes a backslash before any ASCII punctuation. Those that only matter where a line begins
# (#, +, -, 1.) stay as they are: no text of ours begins a line.
_MEANT: Final = re.compile(r"[\\`*_\[\]<>|~&$]")

BLANK: Final = re.compile(
    "[\0-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""Text that shows nothing. The function ``given_reason`` of our schema has the same characters."""


def one_line(text: str, longest: int) -> str:
    """The text on one line, its spaces single, without control and format characters.

    longest: characters, >= 1; what is longer ends with an ellipsis within them.
    """
    kept = "".join(_kept(character) for character in text)
    line = " ".join(kept.split(" ")).strip()
    line = re.sub(" {2,}", " ", line)
    if len(line) <= longest:
        return line
    return line[: longest - 1].rstrip() + ELLIPSIS


def is_blank(text: str) -> bool:
    """Whether there is nothing in it to be seen."""
    return BLANK.fullmatch(text) is not None


def escaped_markdown(line: str) -> str:
    r"""A line as markdown that shows it as it is, within a line: ``*`` as ``\*``."""
    return _MEANT.sub(r"\\\g<0>", line)


def _kept(character: str) -> str:
    if character in _JOINERS:
        return character
    if character in _SPACES:
        return " "
    kind = unicodedata.category(character)
    if kind in _SEPARATORS:
        return " "
    return "" if kind in _WITHOUT_SHAPE else character
