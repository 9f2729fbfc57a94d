"""decisions and context as operators and agents run them."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.support.command import Call, Command
from tests.support.decisions import SAID, decide, events, record
from tests.support.maintenance import row
from tests.support.server import Connection, TestDatabase

AT = ("--as-of", "2026-06-01T00:00:00Z")
OPTIONS = (
    *("--decided", "PostgreSQL", "--alternative", "SQLite", "--alternative", "files"),
    *("--reasoning", "one server", "--decided-by", "Ana", "--decided-at", "2026-01-05T10:00+01:00"),
)


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON on stdout of a command that ended well."""
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def test_a_decision_from_its_record_to_its_reopening(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    dsn = ("--dsn", migrated.dsn, "--format", "json")
    planned = document(cli("decisions", "record", *OPTIONS, "--dry-run", *dsn))
    assert (planned["dry_run"], planned["id"]) == (True, None)
    first = document(cli("decisions", "record", *OPTIONS, *dsn))
    assert first["decision"] == {
        "decided": "PostgreSQL",
        "alternatives": ["SQLite", "files"],
        "reasoning": "one server",
        "decided_by": "Ana",
        "decided_at": "2026-01-05T09:00:00Z",
    }
    said = json.dumps({**SAID, "decided": "SQLite", "alternatives": [], "importance": 8})
    second = document(cli("decisions", "supersede", str(first["id"]), "-", *dsn, input=said))
    assert (second["supersedes"], second["value"]) == (first["id"], "SQLite")
    assert row(connection, second["id"], "importance")["importance"] == 8

    looked = document(cli("decisions", "list", "--all", *dsn))
    assert [(d["id"], d["state"]) for d in looked["decisions"]] == [
        (first["id"], "superseded"),
        (second["id"], "open"),
    ]
    reopened = document(cli("decisions", "reopen", str(second["id"]), "--reason", "it grew", *dsn))
    assert reopened["changed"]
    shown = document(cli("decisions", "show", str(second["id"]), *dsn))
    assert [c["id"] for c in shown["chain"]] == [first["id"], second["id"]]
    assert [(e["kind"], e["reason"]) for e in shown["events"]] == [
        ("decision-recorded", None),
        ("decision-reopened", "it grew"),
    ]


def test_people_read_the_same(call: Call, migrated: TestDatabase, connection: Connection) -> None:
    dsn = ("--dsn", migrated.dsn)
    done = call("decisions", "record", *OPTIONS, *dsn)
    assert done.returncode == 0, done.stderr
    assert "alternatives  SQLite; files" in done.stdout
    decide(connection, None, value="tabs")
    listed = call("decisions", "list", *dsn).stdout
    assert "(missing)" in listed
    assert "hint: 1 decision has no reasoning" in listed
    assert "decision-recorded" in call("decisions", "show", "1", *dsn).stdout
    assert all(len(line) <= 80 for line in listed.splitlines())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("record",), "--decided is missing; --alternative is missing"),
        (("record", *OPTIONS[:-2]), "--decided-at is missing"),
        (("record", *OPTIONS[:-1], "May 5"), "no instant"),
        (("record", *OPTIONS, "--no-alternatives"), "contradict each other"),
        (("record", *OPTIONS, "--importance", "11"), "--importance is wrong"),
        (("record", "-"), "the document is no JSON"),
        (("record", "-", "--decided", "x"), "one or the other"),
        (("record", "12"), "record takes no '12'"),
        (("record", *OPTIONS, "--reason", "x"), "--reason is for reopen"),
        (("supersede", *OPTIONS), "supersede needs the key of a fact"),
        (("supersede", "1", "2", *OPTIONS), "supersede takes no '2'"),
        (("supersede", "1", *OPTIONS), "no fact 1 in public.entity_facts"),
        (("reopen", "1"), "needs a reason"),
        (("reopen", "1", "--reason", " "), "needs a reason"),
        (("reopen", "1", "--reason", "x", "--key", "y"), "--key is for record and supersede"),
        (("show",), "show needs the key of a fact"),
        (("show", "x"), "no fact x in public.entity_facts"),
        (("show", "1", "--dry-run"), "show only reads"),
        (("list", "closed"), "'closed' is none of open, superseded"),
        (("list", "open", "--all"), "--all lists both"),
        (("show", "1", "--all"), "--all is for list"),
        (("close", "1"), "'close' is none of list, show, record, supersede, reopen"),
        ((), "ACTION"),
    ],
)
def test_wrong_usage_is_told(
    cli: Command, call: Call, migrated: TestDatabase, arguments: tuple[str, ...], complaint: str
) -> None:
    run = cli if "-" in arguments else call
    done = run("decisions", *arguments, "--dsn", migrated.dsn)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert complaint in done.stderr


def test_no_alternatives_can_be_said(call: Call, migrated: TestDatabase) -> None:
    options = [o for o in OPTIONS if o not in ("--alternative", "SQLite", "files")]
    done = call(
        "decisions",
        "record",
        *options,
        "--no-alternatives",
        "--dsn",
        migrated.dsn,
        "--format",
        "json",
    )
    assert document(done)["decision"]["alternatives"] == []


def test_before_the_migration_the_command_that_mends_it_is_named(
    call: Call, database: TestDatabase
) -> None:
    for command in (("decisions", "list"), ("decisions", "record", *OPTIONS), ("context",)):
        done = call(*command, "--dsn", database.dsn)
        assert done.returncode == 2
        assert "try: memory-maintenance migrate-types" in done.stderr


def test_context_gives_the_same_bytes_within_its_limit(
    cli: Command, call: Call, migrated: TestDatabase, connection: Connection
) -> None:
    for _ in range(30):
        record(migrated)
    record(migrated)
    for form in ("text", "json"):
        whole = ("context", *AT, "--dsn", migrated.dsn, "--format", form)
        first = cli(*whole, "--max-chars", "2500")
        assert first.returncode == 0, first.stderr
        assert 2000 < len(first.stdout) <= 2500
        assert call(*whole, "--max-chars", "2500").stdout == first.stdout
        assert len(call(*whole, "--max-chars", "1000000").stdout) > 2500
    assert len(events(connection, 1)) == 1


def test_context_counts_what_an_old_terminal_needs_for_a_character(
    cli: Command, migrated: TestDatabase, connection: Connection
) -> None:
    for _ in range(20):
        decide(connection, None, value="\u65e5\u672c" * 60)
    for encoding in ("ascii", "utf-8"):
        done = cli(
            *("context", *AT, "--dsn", migrated.dsn, "--max-chars", "3000"),
            env={"PYTHONIOENCODING": encoding},
        )
        assert 2000 < len(done.stdout) <= 3000


def test_a_limit_that_holds_nothing_is_refused_with_what_is_needed(
    call: Call, migrated: TestDatabase
) -> None:
    done = call("context", *AT, "--dsn", migrated.dsn, "--max-chars", "5", "--format", "json")
    assert (done.returncode, done.stdout) == (2, "")
    needed = done.stderr.split("--max-chars ")[1].split()[0]
    done = call("context", *AT, "--dsn", migrated.dsn, "--max-chars", needed, "--format", "json")
    assert document(done)["decisions"] == []
    assert len(done.stdout) <= int(needed)


@pytest.mark.parametrize("span", ["0d", "5", "never", "200y"])
def test_a_span_that_is_none_is_refused(call: Call, migrated: TestDatabase, span: str) -> None:
    assert call("context", "--due-within", span, "--dsn", migrated.dsn).returncode == 2
