"""What a name is compared with, or set to."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.comparisons import compared
from memory_maintenance.audit.parsing import tokens_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data_type = 'a'", ("=", ("a",))),
        ("f.data_type::text = 'it''s'", ("=", ("it's",))),
        ("data_type::varchar(20) <> 'a'", ("<>", ("a",))),
        ("data_type != 'a'", ("<>", ("a",))),
        ("'a' = f.data_type", ("=", ("a",))),
        ("data_type IN ('a', 'b'::text, NULL)", ("in", ("a", "b", None))),
        ("data_type NOT IN ('a')", ("not in", ("a",))),
        ("data_type = ANY (ARRAY['a', 'b'])", ("in", ("a", "b"))),
        ("data_type = ANY ('{a,b}')", ("in", ("a", "b"))),
        ("data_type IS NULL", ("is null", (None,))),
        ("data_type IS NOT NULL", ("is not null", (None,))),
        ("data_type IS NOT DISTINCT FROM 'a'", ("=", ("a",))),
        ("data_type IS DISTINCT FROM 'a'", ("<>", ("a",))),
        ("data_type IS DISTINCT FROM NULL", ("is not null", (None,))),
        ("data_type = NULL", ("", ())),
        ("UPDATE t SET data_type = NULL", ("=", (None,))),
        ("UPDATE t SET a = 1 WHERE data_type = NULL", ("", ())),
        ("(f.data_type)::text = 'a'", ("=", ("a",))),
        ("((data_type)) IN ('a')", ("in", ("a",))),
        ("lower(data_type) = 'a'", ("", ())),
        ("data_type <> ALL (ARRAY['a', 'b'])", ("not in", ("a", "b"))),
        ("data_type = kind", ("", ())),
        ("data_type = $1", ("", ())),
        ("data_type IN (SELECT 'a')", ("", ())),
        ("data_type, 'a'", ("", ())),
    ],
)
def test_a_literal_beside_it_is_told(
    text: str, expected: tuple[str, tuple[str | None, ...]]
) -> None:
    tokens = tokens_of(text)
    assert tokens is not None
    place = next(i for i, token in enumerate(tokens) if token.word == "data_type")
    assert compared(tokens, place) == expected
