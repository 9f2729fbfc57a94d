"""Texts of no known language: statements in quotes, and words beside them."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Candidate, Context, best_of
from memory_maintenance.audit.languages.plain import scan
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))
QUERY = "SELECT data_type FROM entity_facts"


def candidates(text: str) -> list[Candidate]:
    """One a place, in order."""
    return list(best_of(scan(Source("a.x", text), SUBJECT)))


def confidences(text: str) -> list[str]:
    """How sure it is of each place; "near" where the rest of the file decides."""
    return ["near" if c.near else c.confidence.name.lower() for c in candidates(text)]


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{QUERY}"',
        f"x = '{QUERY}'",
        f"x = `\n  {QUERY}\n`",
        f'x = """\n{QUERY}\n"""',
        f"it's '{QUERY}'",
        f"x = \"\n  {QUERY}\n  WHERE id = {{$id}} AND key = 'a'\n\";",
        f'x = r#"{QUERY}"#',
        f"x <<-SQL\n    {QUERY}\n  SQL\n",
        f"{QUERY}\n\nand more\n",
    ],
)
def test_a_statement_is_certain_wherever_it_begins(text: str) -> None:
    assert confidences(text) == ["certain"]


def test_a_statement_on_another_table_is_unrelated() -> None:
    assert confidences('x = "SELECT data_type FROM sensors"') == ["unrelated"]


def test_a_condition_in_quotes_waits_for_the_table() -> None:
    assert confidences("where(\"data_type = 'x'\")") == ["near"]


@pytest.mark.parametrize(
    "text",
    ["data_type = 1", "x.data_type", ":data_type", '"data_type"', "[data_type]", "COL=data_type"],
)
def test_a_word_that_is_no_prose_waits_for_the_table(text: str) -> None:
    assert confidences(text) == ["near"]


@pytest.mark.parametrize(
    "text", ["we drop data_type soon", "about data_type, and", "the data_type."]
)
def test_a_word_between_words_is_prose(text: str) -> None:
    assert "near" not in confidences(text)


@pytest.mark.parametrize(
    "text", ["# data_type", "x // data_type", "-- data_type", "/* data_type */"]
)
def test_what_looks_like_a_comment_is_prose(text: str) -> None:
    (candidate,) = candidates(text)
    assert candidate.context is Context.PROSE


def test_all_columns_of_the_table_are_told() -> None:
    (candidate,) = candidates('db.Query("SELECT * FROM entity_facts")')
    assert candidate.whole_row


@pytest.mark.parametrize(
    "text",
    ["", "'", '"select data_type', "\x00data_type\ud800", "`" * 10_000, "x data_type " * 20_000],
)
def test_any_text_does_no_harm(text: str) -> None:
    candidates(text)
