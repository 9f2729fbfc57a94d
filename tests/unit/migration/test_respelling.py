"""Definitions that PostgreSQL gave, spelt so that they come out the same once more."""

from __future__ import annotations

import pytest

from memory_maintenance.migration.respelling import respelt

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
