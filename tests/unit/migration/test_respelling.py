"""Definitions that PostgreSQL gave, spelt so that they come out the same once more."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.parsing import parsed
from memory_maintenance.migration.respelling import respelt, settled, spelt

LIST = "'a'::character varying, 'it''s, ])::text[]'::character varying"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            f"CHECK (((kind)::text = ANY ((ARRAY[{LIST}])::text[])))",
            f"CHECK (((kind) IN ({LIST})))",
        ),
        (
            f'CHECK (((f."Kind ""x""")::text <> ALL ((ARRAY[{LIST}])::text[])))',
            f'CHECK (((f."Kind ""x""") NOT IN ({LIST})))',
        ),
        (
            f"((a)::text = ANY ((ARRAY[{LIST}])::text[])) OR ((b)::text = ANY ((ARRAY[{LIST}])::text[]))",
            f"((a) IN ({LIST})) OR ((b) IN ({LIST}))",
        ),
    ],
)
def test_a_list_of_varchar_becomes_in(given: str, expected: str) -> None:
    assert respelt(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))",
        "CHECK (((kind)::text = 'a'::text))",
        "CHECK (((kind)::text = ANY (ARRAY[('a'::character varying)::text, 'b'::text])))",
        # A single one was no IN, which would be a plain comparison.
        "CHECK (((kind)::text = ANY ((ARRAY['a'::character varying])::text[])))",
        "CHECK ((kind <> '(x)::text = ANY ((ARRAY[''a''::character varying])::text[])'::text))",
        "",
    ],
)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert respelt(text) == text


@pytest.mark.parametrize(
    ("written", "given_back"),
    [
        (
            "SELECT memory_maintenance.data_type_of(f.durability, f.category)::text AS kind",
            "SELECT memory_maintenance.data_type_of((f.durability)::text, f.category) AS kind",
        ),
        (
            'SELECT memory_maintenance.data_type_of(a, b)::text COLLATE "C"',
            'SELECT (memory_maintenance.data_type_of(a, (b)::text) COLLATE "C")',
        ),
        (
            "SELECT memory_maintenance.data_type_of(a, b)::character varying(20)",
            "SELECT (memory_maintenance.data_type_of(a::text, b))::character varying(20)",
        ),
        (
            "SELECT (k = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))",
            "SELECT k = ANY (ARRAY[('a'::character varying)::text, ('b'::character varying)::text])",
        ),
    ],
)
def test_what_the_server_gives_back_of_what_was_written_is_the_same(
    written: str, given_back: str
) -> None:
    assert spelt(settled(parsed(written))) == spelt(settled(parsed(given_back)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT 1 WHERE (a OR b) AND c", "SELECT 1 WHERE a OR (b AND c)"),
        ("SELECT a", "SELECT a, b"),
        ("SELECT 1 WHERE a = 1", "SELECT 1 WHERE a = 2"),
        ("SELECT 1 WHERE a = 1", "SELECT 1"),
        ("SELECT data_type_of(a::text, b)", "SELECT data_type_of(a, b)"),
        ("CREATE VIEW v AS SELECT 1", "CREATE VIEW v WITH (security_barrier) AS SELECT 1"),
    ],
)
def test_another_query_is_another(one: str, other: str) -> None:
    assert spelt(settled(parsed(one))) != spelt(settled(parsed(other)))
