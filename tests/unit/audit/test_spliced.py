"""Texts put together from pieces, whose characters know where they stand."""

from __future__ import annotations

from memory_maintenance.audit.spliced import Spliced, plain


def test_a_plain_text_stands_where_it_stands() -> None:
    text = plain("abc", 10)
    assert text.text == "abc"
    assert [text.offset_at(i) for i in range(4)] == [10, 11, 12, 13]


def test_pieces_and_escapes_keep_their_own_places() -> None:
    text = Spliced()
    text.literal("ab", 10)
    text.literal("\n", 12, fixed=True)
    text.literal("", 13)
    text.literal("cd", 14)
    assert text.text == "ab\ncd"
    assert [text.offset_at(i) for i in range(5)] == [10, 11, 12, 14, 15]


def test_holes_are_names_of_their_own_as_long_as_what_they_stand_for() -> None:
    text = Spliced()
    for _ in range(50):
        text.hole(0, 5)
    text.hole(0, 1, "known")
    assert len(set(text.holes)) == 51
    assert {len(name) for name in list(text.holes)[:-1]} == {5}
    assert list(text.holes.values())[-1] == "known"
    assert all(name.isidentifier() for name in text.holes)


def test_an_empty_text_is_at_the_start() -> None:
    assert Spliced().offset_at(0) == 0
