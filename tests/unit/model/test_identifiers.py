"""Names of tables and schemas in PostgreSQL's syntax."""

from __future__ import annotations

import re

import pytest

from memory_maintenance.model.identifiers import parse_identifier, parse_qualified_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("entity_facts", (None, "entity_facts")),
        ("Entity_Facts", (None, "entity_facts")),
        ("nova.entity_facts", ("nova", "entity_facts")),
        ('"Entity Facts"', (None, "Entity Facts")),
        ('"a.b"."c"', ("a.b", "c")),
        ('nova."Facts"', ("nova", "Facts")),
        ('"say ""hi"""', (None, 'say "hi"')),
        ("_f$1", (None, "_f$1")),
        ("fakten_größe", (None, "fakten_größe")),
        ("Äpfel", (None, "Äpfel")),
        ("a" * 63, (None, "a" * 63)),
    ],
)
def test_a_name_is_read_as_the_server_would(text: str, name: tuple[str | None, str]) -> None:
    assert parse_qualified_name(text) == name


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "can't be empty"),
        ('""', "can't be empty"),
        ("nova.", "can't be empty"),
        (".facts", "can't be empty"),
        ("a..b", "can't be empty"),
        ("a.b.c", "write table or schema.table"),
        ("my facts", "needs double quotes"),
        ("my-facts", "needs double quotes"),
        ("1facts", "needs double quotes"),
        ("facts; DROP TABLE x", "needs double quotes"),
        ("a\nb", "needs double quotes"),
        ('"facts', "isn't closed"),
        ('a."', "isn't closed"),
        ('"a"b', "ends at its second quote"),
        ('a"b"', "ends at its second quote"),
        ('"a\0b"', "NUL"),
        ("a" * 64, "at most 63 bytes in UTF-8, and this one has 64"),
        ('"' + "ü" * 32 + '"', "has 64"),
        ("\udc80", "valid Unicode"),
    ],
)
def test_a_name_that_the_server_would_read_otherwise_is_refused(text: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(advice)):
        parse_qualified_name(text)


def test_a_schema_is_a_single_name() -> None:
    assert parse_identifier("Nova") == "nova"
    assert parse_identifier('"my.schema"') == "my.schema"
    with pytest.raises(ValueError, match="a single name"):
        parse_identifier("a.b")
