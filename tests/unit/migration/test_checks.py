"""Which spellings of a CHECK are ours."""

from __future__ import annotations

import pytest

from memory_maintenance.migration.checks import means
from memory_maintenance.migration.state import CHECK_AXES, CHECK_DURABILITY, CHECK_IMPORTANCE

_ALL = "'permanent'::text, 'long_term'::text, 'short_term'::text, 'ephemeral'::text"


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        (CHECK_IMPORTANCE, "CHECK (((importance >= 1) AND (importance <= 10)))"),
        (CHECK_IMPORTANCE, "CHECK (((importance >= 1) AND (importance <= 10))) NOT VALID"),
        (CHECK_IMPORTANCE, "CHECK (((importance <= 10) AND (importance >= 1))) NO INHERIT"),
        (CHECK_IMPORTANCE, "CHECK (((importance > 0) AND (importance < 11)))"),
        (
            CHECK_IMPORTANCE,
            "CHECK (((importance >= (1)::smallint) AND (importance <= '10'::bigint)))",
        ),
        (CHECK_IMPORTANCE, "CHECK ((importance = ANY (ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])))"),
        (
            CHECK_IMPORTANCE,
            "CHECK (((importance IS NULL) OR ((importance >= 1) AND (importance <= 10))))",
        ),
        (CHECK_DURABILITY, f"CHECK ((durability = ANY (ARRAY[{_ALL}])))"),
        (CHECK_DURABILITY, f"CHECK (((durability)::text = ANY ((ARRAY[{_ALL}])::text[])))"),
        (
            CHECK_DURABILITY,
            "CHECK (((durability = 'ephemeral'::text) OR (durability = 'permanent'::text)"
            " OR (durability = 'long_term'::text) OR (durability = 'short_term'::text)))",
        ),
        (CHECK_AXES, "CHECK (((durability IS NOT NULL) AND (category IS NOT NULL))) NOT VALID"),
    ],
)
def test_a_spelling_of_the_same_condition_is_ours(name: str, definition: str) -> None:
    assert means(name, definition)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        (CHECK_IMPORTANCE, "CHECK ((length((key)::text) > 0))"),
        (CHECK_IMPORTANCE, "CHECK (((importance >= 1) AND (importance <= 100)))"),
        (CHECK_IMPORTANCE, "CHECK (((importance >= 1) OR (importance <= 10)))"),
        (CHECK_IMPORTANCE, "CHECK ((NOT ((importance >= 1) AND (importance <= 10))))"),
        (CHECK_IMPORTANCE, "CHECK (((importance >= 1) AND (importance <= 10))) NOT ENFORCED"),
        (
            CHECK_IMPORTANCE,
            "CHECK ((((importance)::text >= '1'::text) AND ((importance)::text <= '10'::text)))",
        ),
        (CHECK_IMPORTANCE, "CHECK (((importance OPERATOR(public.>=) 1) AND (importance <= 10)))"),
        (CHECK_IMPORTANCE, "NOT NULL importance"),
        (CHECK_IMPORTANCE, f"CHECK ((durability = ANY (ARRAY[{_ALL}])))"),
        (CHECK_DURABILITY, f"CHECK ((durability = ANY (ARRAY[{_ALL}, 'forever'::text])))"),
        (CHECK_DURABILITY, "CHECK ((durability = ANY (ARRAY['permanent'::text])))"),
        (CHECK_DURABILITY, f"CHECK ((durability <> ALL (ARRAY[{_ALL}])))"),
        (CHECK_DURABILITY, f"CHECK (((durability)::character varying(9) = ANY (ARRAY[{_ALL}])))"),
        (
            CHECK_DURABILITY,
            f"CHECK ((durability = ANY (ARRAY[{_ALL}])))".replace("permanent", "perma(nent"),
        ),
        (CHECK_DURABILITY, f"CHECK ((category = ANY (ARRAY[{_ALL}])))"),
        (CHECK_AXES, "CHECK (((durability IS NOT NULL) OR (category IS NOT NULL)))"),
    ],
)
def test_another_condition_is_not(name: str, definition: str) -> None:
    assert not means(name, definition)
