"""Passwords are masked in any text, whoever wrote it."""

from __future__ import annotations

import pytest

from memory_maintenance.cli.secrets import mask, scrubber


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://joe:pw@h/db", "postgresql://joe:***@h/db"),
        ("postgresql://joe:p@w/x@h/db", "postgresql://joe:***@h/db"),
        ("postgresql://:pw@h", "postgresql://:***@h"),
        ("postgresql://h/db?password=pw&sslmode=require", "postgresql://h/db?password=***&sslmode=require"),
        ("host=h password=pw user=joe", "host=h password=*** user=joe"),
        ("host=h password = 'p \\' w' user=joe", "host=h password = *** user=joe"),
        ("host=h password='never closed user=joe", "host=h password=***"),
        ("sslpassword=pw PGPASSWORD=pw", "sslpassword=*** PGPASSWORD=***"),
        ('{"host": "h", "password": "p w"}', '{"host": "h", "password": ***}'),
        ("{'password': 'pw'}", "{'password': ***}"),
        ("password authentication failed for joe", "password authentication failed for joe"),
        ("postgresql://h:5432/db", "postgresql://h:5432/db"),
    ],
)  # fmt: skip
def test_passwords_are_masked_where_they_stand(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    ("environ", "arguments"),
    [
        ({"PGPASSWORD": "s 3cret"}, []),
        ({"MEMORY_MAINTENANCE_DSN": "postgresql://joe:s 3cret@h/db"}, []),
        ({"MEMORY_MAINTENANCE_DSN": "host=h password='s 3cret'"}, []),
        ({}, ["decay", "--dsn", "postgresql://joe:s%203cret@h/db"]),
        ({}, ["decay", "--dsn=postgresql://joe:s 3cret@h/db"]),
    ],
)
def test_a_call_s_own_password_is_masked_wherever_it_stands(
    environ: dict[str, str], arguments: list[str]
) -> None:
    scrub = scrubber(environ, arguments)
    assert scrub("invalid token s 3cret in") == "invalid token *** in"


def test_a_password_within_another_leaves_no_rest() -> None:
    scrub = scrubber({"PGPASSWORD": "abc"}, ["--dsn", "host=h password=abcdef"])
    assert scrub("abcdef abc") == "*** ***"


def test_without_secrets_nothing_changes() -> None:
    assert scrubber({}, ["--dsn"])("plain text") == "plain text"
