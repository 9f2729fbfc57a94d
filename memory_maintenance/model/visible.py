"""Makes hostile text safe to show: what would steer a terminal is shown as an escape instead.

Facts are written by strangers. An escape sequence in one could clear the operator's screen, and a
bidirectional override could show a value that isn't stored. Escaping beats removing: the reader
sees that something was there.
"""

from __future__ import annotations

import unicodedata

# Zero-width joiner and non-joiner are format characters too, but emoji and several scripts need
# them.
_JOINERS = frozenset("\u200c\u200d")

# Cc control, Cf format (bidi overrides, zero-width), Cs surrogate, Co private use, Cn unassigned,
# Zl and Zp line and paragraph separators: none has a shape of its own that every terminal agrees
# on.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, *, keep: str = "", encoding: str = "utf-8") -> str:
    r"""The text with each unsafe character as an escape such as ``\x1b`` or ``\u202e``.

    keep: control characters to let through, such as "\n" where lines may break. encoding: what the
    reader's stream can hold; characters outside of it are escaped as well, here rather than on
    writing, so that the width which a layout counts is the width that is shown.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(c if c in keep or _is_safe(c) else _escape(c) for c in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _is_safe(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _UNSAFE


def _escape(character: str) -> str:
    # unicode_escape knows \n and \t; it is plain ASCII for every code point, lone surrogates
    # included.
    return character.encode("unicode_escape").decode("ascii")
