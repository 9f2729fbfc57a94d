"""Time is an argument: the SQL asks for it in a few places only (architecture, section 3)."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable

_CLOCKS = re.compile(
    r"\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)"
    r"|\b(current_(date|time|timestamp)|localtime(stamp)?)\b",
    re.IGNORECASE,
)
_READ_THE_CLOCK = {"session/clock.sql", "session/facts.sql"}
# 0004: a trigger that notes who writes the old way once a minute, with the time of the write.
# 0005: triggers that look for what was recorded since their transaction began.
# 0007: an access is never recorded as later than now, whatever its caller says.
_RECORD_WHEN = ("ledger/", "migration/note_", "schema/0004_", "schema/0005_", "schema/0007_")
_OTHERS_TABLES = ("demo/",)


def _statements(folder: Traversable, path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            found |= _statements(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".sql"):
            found[path + entry.name] = entry.read_text(encoding="utf-8")
    return found


def test_no_statement_asks_what_time_it_is() -> None:
    statements = _statements(resources.files("memory_maintenance") / "sql")
    assert "facts/projection.sql" in statements
    asking = [
        f"{name}: {line.strip()}"
        for name, text in sorted(statements.items())
        if name not in _READ_THE_CLOCK and not name.startswith((*_RECORD_WHEN, *_OTHERS_TABLES))
        for line in text.splitlines()
        if _CLOCKS.search(line.split("--")[0]) and "DEFAULT" not in line
    ]
    assert asking == []
