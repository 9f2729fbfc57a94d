"""Characters that PostgreSQL's text can't hold: NUL, and halves of surrogate pairs."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can store the text."""
    return _UNSTORABLE.search(text) is None


def with_escapes(text: str) -> str:
    """The text with what can't be stored as JSON escapes it, such as \\u0000."""
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
