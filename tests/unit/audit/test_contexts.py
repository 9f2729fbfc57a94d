"""What a file is by its place."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.contexts import context_of


@pytest.mark.parametrize(
    ("path", "context"),
    [
        ("store.py", "runtime"),
        ("agents/testing.py", "runtime"),
        ("src/latest.sql", "runtime"),
        ("tests/helpers.py", "test"),
        ("pkg/__tests__/store.ts", "test"),
        ("test_store.py", "test"),
        ("pkg/store_test.go", "test"),
        ("pkg/store.spec.ts", "test"),
        ("pkg/store.test.mjs", "test"),
        ("conftest.py", "test"),
        ("migrations/0003_add.sql", "migration"),
        ("db/migrate/20240101_add.rb", "migration"),
        ("alembic/env.py", "migration"),
        ("alembic/versions/1f_add.py", "migration"),
        ("sql/V2__drop.sql", "migration"),
        ("sql/Verify__drop.sql", "runtime"),
        ("docs/conf.py", "prose"),
        ("README", "prose"),
        ("README.txt", "prose"),
        ("CHANGELOG", "prose"),
        ("HISTORY.rst", "prose"),
        ("LICENSE", "prose"),
        ("LICENSE-MIT", "prose"),
        ("skills/memory.md", "prose"),
        ("history.py", "runtime"),
        ("notes.txt", "runtime"),
    ],
)
def test_the_place_of_a_file_says_what_it_is(path: str, context: str) -> None:
    assert context_of(path) == context


@pytest.mark.parametrize(
    ("path", "context"),
    [
        ("tests/README.md", "prose"),
        ("tests/migrations/0001.sql", "test"),
        ("docs/tests/check.py", "test"),
        ("docs/migrations/0001.sql", "migration"),
        ("migrations/test_0001.py", "test"),
    ],
)
def test_the_name_goes_first_then_tests_then_migrations_then_documents(
    path: str, context: str
) -> None:
    assert context_of(path) == context
