"""extraction from the contract to stored facts, as an extractor and an operator run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command import Call, Command
from tests.support.maintenance import row
from tests.support.server import TestDatabase

TEA: dict[str, Any] = {
    "entity": {"name": "Ana", "type": "person"},
    "key": "drink",
    "value": "tea",
    "durability": "long_term",
    "category": "preference",
    "importance": 6,
}
MOOD = {**TEA, "key": "mood", "value": "tired", "category": "mood", "durability": "permanent"}
ANSWER = (
    f"Here they are:\n```json\n{json.dumps({'facts': [TEA, MOOD, {**TEA, 'importance': 11}]})}\n```"
)


def test_an_answer_is_stored_fact_by_fact(
    cli: Command, call: Call, migrated: TestDatabase, tmp_path: Path
) -> None:
    dsn = ("--dsn", migrated.dsn, "--format", "json")
    file = tmp_path / "answer.txt"
    file.write_text(ANSWER)
    planned = call("extraction", "ingest", str(file), "--dry-run", *dsn)
    assert planned.returncode == 1
    assert json.loads(planned.stdout)["created"] == 1

    done = cli("extraction", "ingest", *dsn, input=ANSWER)
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    outcomes = [(o["index"], o["outcome"], o["because"]) for o in document["outcomes"]]
    assert outcomes == [
        (0, "created", None),
        (1, "adjusted", "created; a mood is never permanent: lowered to ephemeral"),
        (2, "rejected", "importance is not from 1 to 10"),
    ]
    counts = {kind: document[kind] for kind in ("created", "reinforced", "adjusted", "rejected")}
    assert counts == {"created": 1, "reinforced": 0, "adjusted": 1, "rejected": 1}
    with migrated.connect() as connection:
        stored = row(connection, document["outcomes"][0]["id"], "value", "importance", "category")
    assert stored == {"value": "tea", "importance": 6, "category": "preference"}

    again = call("extraction", "ingest", str(file), *dsn)
    assert json.loads(again.stdout)["reinforced"] == 1


def test_an_answer_without_facts_is_done_with(
    call: Call, migrated: TestDatabase, tmp_path: Path
) -> None:
    file = tmp_path / "answer.json"
    file.write_text('{"facts": []}')
    done = call("extraction", "ingest", str(file), "--dsn", migrated.dsn)
    assert done.returncode == 0, done.stderr
    assert {tuple(line.split()) for line in done.stdout.splitlines()} == {
        (kind, "0") for kind in ("created", "reinforced", "adjusted", "rejected")
    }


def test_what_is_shown_fits_a_terminal(call: Call, migrated: TestDatabase, tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(ANSWER)
    done = call("extraction", "ingest", str(file), "--dsn", migrated.dsn)
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "importance is not from 1 to 10" in done.stdout
