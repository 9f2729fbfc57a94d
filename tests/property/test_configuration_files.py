"""Whatever a file holds, it is read or refused: no traceback, no password in a message."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_maintenance.config.document import read_document
from memory_maintenance.config.load import load
from memory_maintenance.errors import ConfigError

SECRET = "hunter2"

_KEYS = st.sampled_from(
    [
        "database", "dsn", "table", "durability", "ephemeral", "half_life", "shape", "category",
        "obligation", "after_deadline", "importance", "access_boost", "archive", "threshold",
        "data_type", "run", "timezone", "null", "no", "", "a.b", "\x00", "<<",
    ]
) | st.text(max_size=4)  # fmt: skip
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["36h", "10m", "never", "decay", "long_term", "mood", "\ud800", "\x1b"])
    | st.text(max_size=8),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(_KEYS, below, max_size=3),
    max_leaves=12,
)
_quick = settings(
    max_examples=50 if settings().max_examples <= 50 else 2000,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.yaml"


@_quick
@given(tree=st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_any_tree_is_read_or_refused(tree: object, path: Path) -> None:
    path.write_bytes(yaml.safe_dump(tree, allow_unicode=False).encode())
    with contextlib.suppress(ConfigError):
        load(path, environ={}, steps=frozenset({"decay"}))


@_quick
@given(
    data=st.binary(max_size=60)
    | st.text("abh: -?[]{},&*!|>'\"%@`#\t\n\\~<.1", max_size=60).map(str.encode)
)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    document = read_document(data, "a.yaml")
    assert all(str(problem) for problem in document.problems)


@_quick
@given(
    before=st.text("ab: -?[]{},&*!|>'\"%@`#\t\n\\~<.1/", max_size=12),
    after=st.text("ab: -?[]{},&*!|>'\"%@`#\t\n\\~<.1/", max_size=12),
)
def test_no_syntax_makes_a_message_tell_the_dsn(before: str, after: str, path: Path) -> None:
    path.write_text(f"database:\n  dsn: {before}{SECRET}{after}\n", encoding="utf-8")
    try:
        load(path, environ={})
    except ConfigError as refusal:
        for problem in refusal.problems:
            # As a key of its own line it is a name to be corrected; as a value it may be anything.
            assert SECRET not in f"{problem.seen} {problem.allowed}"
