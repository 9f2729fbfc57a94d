"""Texts of a length that a person would read. JSON has all of them, whole."""

from __future__ import annotations

from typing import Final

LONGEST_CELL: Final = 200
"""Characters of a cell that are shown."""


def cut(text: str, longest: int = LONGEST_CELL) -> tuple[str, str]:
    """The beginning of a text, and how long all of it is; "" where that is all of it."""
    if len(text) <= longest:
        return text, ""
    return text[:longest], f"... ({len(text):,} characters)"


def shortened(text: str, longest: int = LONGEST_CELL) -> str:
    """Both parts of ``cut`` as one text."""
    return "".join(cut(text, longest))
