"""expire-obligations and obligations as an operator runs them."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.maintenance import ago, ahead
from tests.support.obligations import events, kinds, owe
from tests.support.server import Connection, TestDatabase

AT = ("--as-of", "2026-06-01T00:00:00Z")


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON on stdout of a command that ended well."""
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that was used wrongly says."""
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    return done.stderr


def test_an_operator_expires_looks_and_settles(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    dsn = ("--dsn", migrated.dsn, "--format", "json")
    late = owe(connection, "Call Ana by May 15")
    soon = owe(connection, "Present June 4")
    far = owe(connection, "Present August 15")
    either = owe(connection, "Present May 3-5")
    bare = owe(connection, "Call Bob back")

    looked = document(cli("obligations", "list", *AT, *dsn))
    assert [(o["id"], o["state"], o["inferred"]) for o in looked["obligations"]] == [
        (late, "overdue", True),
        (soon, "upcoming", True),
        (far, "upcoming", True),
        (either, "ambiguous", False),
        (bare, "undated", False),
    ]
    assert looked["by_state"] == {
        "overdue": 1,
        "upcoming": 2,
        "ambiguous": 1,
        "undated": 1,
        "settled": 0,
    }

    planned = document(cli("expire-obligations", "--dry-run", *AT, *dsn))
    expired = document(cli("expire-obligations", *AT, *dsn))
    assert planned["run_id"] is None
    for key in expired.keys() - {"dry_run", "run_id", "duration_s"}:
        assert planned[key] == expired[key]
    assert [(i["id"], i["text"], i["source"], i["deadline"]) for i in expired["inferred"]] == [
        (late, "May 15", "value", "2026-05-16T00:00:00+00:00"),
        (soon, "June 4", "value", "2026-06-05T00:00:00+00:00"),
        (far, "August 15", "value", "2026-08-16T00:00:00+00:00"),
    ]
    assert [o["id"] for o in expired["overdue"]] == [late]
    assert [a["id"] for a in expired["ambiguous"]] == [either]
    assert expired["undated"] == 1

    due = document(cli("obligations", "list", "--due-within", "7d", *AT, *dsn))
    assert [o["id"] for o in due["obligations"]] == [soon]
    assert due["obligations"][0]["due_in_s"] == 4 * 86400
    overdue = document(cli("obligations", "list", "overdue", *AT, *dsn))
    assert [(o["id"], o["status"]) for o in overdue["obligations"]] == [(late, "overdue")]

    done = document(cli("obligations", "done", str(late), "--reason", "called", *AT, *dsn))
    assert done["command"] == "obligations-done"
    assert (done["id"], done["changed"]) == (late, True)
    assert done["before"]["status"] == "overdue"
    assert done["after"] == {
        "status": "done",
        "deadline": "2026-05-16T00:00:00+00:00",
        "settled_at": "2026-06-01T00:00:00Z",
    }
    assert not document(cli("obligations", "done", str(late), *AT, *dsn))["changed"]
    assert kinds(connection, late) == ["deadline-inferred", "obligation-overdue", "obligation-done"]
    settled = document(cli("obligations", "list", "settled", *AT, *dsn))
    assert [o["id"] for o in settled["obligations"]] == [late]


def test_a_snooze_moves_the_deadline_later_and_undoes_what_was_overdue(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    dsn = ("--dsn", migrated.dsn, "--format", "json")
    fact = owe(connection, "Call Ana", expires=ago(days=1))
    document(cli("expire-obligations", *AT, *dsn))
    snooze = ("obligations", "snooze", str(fact), "--until", "in 3 days", *AT, *dsn)
    moved = document(cli(*snooze))
    assert moved["before"]["status"] == "overdue"
    assert moved["after"] == {
        "status": "open",
        "deadline": "2026-06-05T00:00:00+00:00",
        "settled_at": None,
    }
    assert not document(cli(*snooze))["changed"]
    assert kinds(connection, fact) == [
        "obligation-overdue",
        "obligation-snoozed",
        "obligation-reinstated",
    ]
    detail = events(connection, fact)[1][2]
    assert detail["before"]["deadline"] == "2026-05-31T00:00:00Z"
    assert detail["before"]["obligation"]["status"] == "overdue"
    assert detail["after"] == {
        "deadline": "2026-06-05T00:00:00Z",
        "obligation": {"deadline_source": "set", "deadline_text": "in 3 days"},
    }
    document(cli("expire-obligations", *AT, *dsn))
    assert len(kinds(connection, fact)) == 3
    earlier = cli("obligations", "snooze", str(fact), "--until", "June 2", *AT, *dsn)
    assert "is not later than the deadline" in refused(earlier)


def test_a_deadline_is_set_in_the_words_that_facts_use(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    dsn = ("--dsn", migrated.dsn, "--format", "json")
    fact = str(owe(connection, "Present", data={"x": 1}))
    changed = document(cli("obligations", "set-deadline", fact, "June 15 3pm", *AT, *dsn))
    assert changed["after"]["deadline"] == "2026-06-15T15:00:00+00:00"
    assert changed["reading"] == "2026-06-15, counted from 2026-06-01"
    said = refused(cli("obligations", "set-deadline", fact, "May 3 or June 5", *AT, *dsn))
    assert "ambiguous" in said
    assert "2026-06-06T00:00:00Z or 2027-05-04T00:00:00Z" in said
    assert "says no date" in refused(cli("obligations", "set-deadline", fact, "soon!", *AT, *dsn))
    found = connection.execute("SELECT data FROM entity_facts WHERE id = %s", [fact]).fetchone()
    assert found == (
        {"x": 1, "obligation": {"deadline_source": "set", "deadline_text": "June 15 3pm"}},
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("done", "999"), "no fact 999 in public.entity_facts"),
        (("done", "abc"), "no fact abc in public.entity_facts"),
        (("done", "99999999999999999999"), "no fact 99999999999999999999"),
        (("done",), "done needs the key of a fact"),
        (("snooze", "1"), "snooze needs a new deadline"),
        (("done", "1", "tomorrow"), "done takes no time"),
        (("list", "late"), "'late' is none of"),
        (("list", "overdue", "--due-within", "7d"), "--due-within is for what is upcoming"),
        (("list", "--reason", "x"), "list only reads"),
        (("snoze", "1"), "is none of list, done"),
        (("cancel", "1", "--until", "tomorrow"), "--until is for snooze"),
    ],
)
def test_wrong_usage_is_told_with_a_way_on(
    cli: Command, migrated: TestDatabase, arguments: tuple[str, ...], said: str
) -> None:
    stderr = refused(cli("obligations", *arguments, "--dsn", migrated.dsn))
    assert said in stderr
    assert "try: " in stderr


def test_what_is_no_open_obligation_is_refused(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    state = owe(connection, "Raining", category="state")
    broken = owe(connection, "Call", data=[1])
    cancelled = owe(connection, "Call", data={"obligation": {"status": "cancelled"}})
    for fact, arguments, said in (
        (state, ("done",), "is no obligation: its category is state"),
        (broken, ("done",), "has a data problem: data is no object"),
        (cancelled, ("snooze", "--until", "June 9"), "is cancelled: there is no deadline to move"),
    ):
        action, *rest = arguments
        done = cli("obligations", action, str(fact), *rest, *AT, "--dsn", migrated.dsn)
        assert said in refused(done)
    assert kinds(connection) == []


def test_people_get_a_table_within_80_columns(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    owe(connection, "Call Ana " + "and all of her friends " * 20, expires=ahead(days=9))
    owe(connection, "Present May 3-5")
    owe(connection, "Present May 15")
    for command in (("obligations", "list"), ("expire-obligations",)):
        done = cli(*command, *AT, "--dsn", migrated.dsn)
        assert done.returncode == 0
        assert done.stderr == ""
        assert all(len(line) <= 80 for line in done.stdout.splitlines())
        assert "2026-05-16" in done.stdout
