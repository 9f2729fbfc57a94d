"""extraction ingest from the answer of a model to the database, by the command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Call
from tests.support.ingesting import rejected, stored
from tests.support.server import Connection, TestDatabase

FACT: dict[str, Any] = {
    "entity": {"name": "Ana", "type": "person"},
    "key": "drinks",
    "value": "Coffee",
    "durability": "long_term",
    "category": "preference",
    "importance": 7,
}


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def answered(
    call: Call, database: TestDatabase, tmp_path: Path, answer: str | bytes, *options: str
) -> subprocess.CompletedProcess[str]:
    """The command on an answer in a file."""
    file = tmp_path / "answer"
    file.write_bytes(answer.encode() if isinstance(answer, str) else answer)
    return call("extraction", "ingest", str(file), "--dsn", database.dsn, *options)


def test_an_answer_is_stored_and_told_in_json(
    call: Call, migrated: TestDatabase, connection: Connection, tmp_path: Path
) -> None:
    facts = [
        FACT,
        {**FACT, "value": "COFFEE"},
        {**FACT, "category": "mood"},
        {**FACT, "importance": 11},
    ]
    facts[2] |= {"key": "mood", "durability": "permanent"}
    answer = f"Here you are:\n```json\n{json.dumps({'facts': facts})}\n```\nAnything else?"
    ended = answered(call, migrated, tmp_path, answer, "--format", "json")
    assert ended.returncode == 1, ended.stderr
    found = json.loads(ended.stdout)
    assert found["command"] == "extraction-ingest"
    assert [(o["index"], o["outcome"]) for o in found["outcomes"]] == [
        (0, "created"),
        (1, "reinforced"),
        (2, "adjusted"),
        (3, "rejected"),
    ]
    assert [found[kind] for kind in ("created", "reinforced", "adjusted", "rejected")] == [1] * 4
    assert stored(connection, "value, durability, category, importance") == [
        ("Coffee", "long_term", "preference", 7),
        ("Coffee", "ephemeral", "mood", 7),
    ]
    ((index, raw, _),) = rejected(connection)
    assert (index, json.loads(raw)) == (3, facts[3])


def test_a_good_answer_ends_with_0(
    call: Call, migrated: TestDatabase, connection: Connection, tmp_path: Path
) -> None:
    ended = answered(call, migrated, tmp_path, json.dumps({"facts": [FACT]}))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Coffee" not in ended.stdout
    ended = answered(call, migrated, tmp_path, json.dumps({"facts": [FACT]}), "-q")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert stored(connection, "confirmation_count") == [(2,)]


def test_a_dry_run_says_what_would_be_done(
    call: Call, migrated: TestDatabase, connection: Connection, tmp_path: Path
) -> None:
    answer = "\n".join(json.dumps(f) for f in (FACT, FACT))
    ended = answered(call, migrated, tmp_path, answer, "--dry-run", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found["dry_run"], found["created"], found["reinforced"]) == (True, 1, 1)
    assert stored(connection) == []


@pytest.mark.parametrize(
    "answer",
    [
        b"no facts here, sorry",
        b'{"facts": [{"key": "\\u0000"}]}',
        b"\xff\xfe\x00 \x80",
        b'{"facts": [{"entity": {"name": "\\ud83d", "type": "x"}, "key": "k", "value": "v",'
        b' "durability": "long_term", "category": "mood", "importance": NaN}]}',
        b'"); DROP TABLE entity_facts; --',
    ],
)
def test_what_cannot_be_stored_is_kept(
    call: Call, migrated: TestDatabase, connection: Connection, tmp_path: Path, answer: bytes
) -> None:
    ended = answered(call, migrated, tmp_path, answer)
    assert ended.returncode == 1, ended.stderr
    assert stored(connection) == []
    assert len(rejected(connection)) == 1


def test_a_database_that_is_not_migrated_is_told(
    call: Call, database: TestDatabase, tmp_path: Path
) -> None:
    ended = answered(call, database, tmp_path, json.dumps({"facts": [FACT]}))
    assert ended.returncode == 2
    assert "memory-maintenance migrate-types" in ended.stderr
