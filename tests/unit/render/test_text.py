"""Text for people: layout, width, quiet, colour, hostile cells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memory_maintenance.model.result import (
    Bars,
    Block,
    Code,
    Column,
    Curve,
    Heading,
    KeyValues,
    Mark,
    Note,
    Table,
)
from memory_maintenance.render.text import render_text
from tests.unit.render.shown import Shown

FACTS = Table((Column("durability"), Column("facts", "right")), (("long_term", "400"), ("x", "7")))


def text(*blocks: Block, width: int = 80, quiet: bool = False, encoding: str = "utf-8") -> str:
    return render_text(Shown(shown=blocks), width=width, quiet=quiet, encoding=encoding)


def test_a_result_reads_as_a_short_plain_page() -> None:
    shown = text(
        Heading("Decay"),
        KeyValues((("table", "entity_facts"), ("as of", "2026-06-01"))),
        FACTS,
        Bars((("today", 4), ("long ago", 1)), title="Ages"),
        Note("400 facts changed."),
        Note("see report", "hint"),
        Note("2 rows left alone", "problem"),
        Code("SELECT 1;\n  -- done"),
        width=40,
    )
    assert shown == (
        "Decay\n"
        "table  entity_facts\n"
        "as of  2026-06-01\n"
        "\n"
        "durability facts\n"
        "---------- -----\n"
        "long_term    400\n"
        "x              7\n"
        "\n"
        "Ages\n"
        "today     4  ███████████████████████████\n"
        "long ago  1  ███████\n"
        "\n"
        "400 facts changed.\n"
        "hint: see report\n"
        "problem: 2 rows left alone\n"
        "\n"
        "SELECT 1;\n"
        "  -- done\n"
    )


def test_quiet_shows_problems_only_and_otherwise_nothing() -> None:
    assert text(FACTS, Note("fine"), quiet=True) == ""
    assert text(FACTS, Note("bad", "problem"), quiet=True) == "problem: bad\n"


def test_nothing_to_show_is_nothing() -> None:
    assert text() == ""
    assert text(Bars(()), Code("")) == ""


def test_long_text_folds_and_numbers_stay_whole() -> None:
    table = Table((Column("id", "right"), Column("value")), (("1234567", "word " * 30),))
    lines = text(table, width=40).splitlines()
    assert lines[2].startswith("1234567 word word")
    assert lines[3].startswith("        word")
    assert max(map(len, lines)) <= 40


def test_markup_in_a_fact_is_literal() -> None:
    shown = text(
        Table((Column("value"),), (("[red]x[/red] :smile: [/]",),)),
        Note("[b]"),
        Heading("[i]h[/i]"),
    )
    assert "[red]x[/red] :smile: [/]" in shown
    assert "[b]" in shown
    assert "[i]h[/i]" in shown


def test_a_line_break_in_a_fact_makes_no_row() -> None:
    shown = text(Table((Column("value"),), (("a\nproblem: fake\tx",),)))
    assert shown.splitlines()[2:] == ["a\\nproblem: fake x"]


def test_wide_characters_count_as_two_columns() -> None:
    shown = text(Table((Column("value"), Column("n", "right")), (("中文字" * 20, "5"),)), width=40)
    assert max(map(cell_len, shown.splitlines())) <= 40
    assert "".join(re.findall("[中文字]", shown)) == "中文字" * 20


def test_code_is_never_wrapped() -> None:
    line = "memory-maintenance " + "--option " * 20 + "end"
    assert text(Code(line), width=40) == line + "\n"


def test_an_encoding_without_blocks_gets_plain_bars() -> None:
    shown = text(
        Bars(
            (("中", 1.5), ("b", 0.25)),
        ),
        width=40,
        encoding="ascii",
    )
    assert shown.isascii()
    assert shown.splitlines()[0].startswith("\\u4e2d  1.500  ##")


def test_a_note_is_cut_where_nobody_would_read_on() -> None:
    assert text(Note("n" * 4000)).count("n") == 4000
    shown = text(Note("n" * 4001))
    assert "".join(shown.split()) == "n" * 4000 + "...(4,001characters)"


def test_numbers_beside_bars_are_written_as_everywhere_else() -> None:
    shown = text(Bars((("big", 1_234_567), ("small", 890))), width=40).splitlines()
    assert [line.split()[1] for line in shown] == ["1,234,567", "890"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
def test_a_number_that_has_no_length_has_no_bar(value: float) -> None:
    assert "█" not in text(Bars((("a", value),)))


def test_a_small_number_is_never_drawn_as_nothing() -> None:
    assert text(Bars((("big", 1_000_000), ("small", 1)))).splitlines()[1].endswith("1  █")


def test_colour_comes_only_when_asked_for() -> None:
    result = Shown(shown=(Heading("h"), FACTS, Note("bad", "problem")))
    plain, coloured = render_text(result), render_text(result, color=True)
    assert "\x1b" not in plain
    assert "\x1b" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_the_environment_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(FACTS, Note("word " * 40))
    for name, value in {"COLUMNS": "33", "FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"}.items():
        monkeypatch.setenv(name, value)
    assert text(FACTS, Note("word " * 40)) == before


cells = st.text(max_size=60)
tables = st.integers(1, 5).flatmap(
    lambda n: st.builds(
        Table,
        st.tuples(*[st.builds(Column, cells, st.sampled_from(["left", "right"]))] * n),
        st.lists(st.tuples(*[cells] * n), max_size=4).map(tuple),
        st.none() | cells,
    )
)
blocks = st.one_of(
    tables,
    st.builds(Heading, cells),
    st.builds(KeyValues, st.lists(st.tuples(cells, cells), max_size=4).map(tuple)),
    st.builds(Bars, st.lists(st.tuples(cells, st.floats()), max_size=4).map(tuple)),
    st.builds(Note, cells, st.sampled_from(["info", "hint", "problem"])),
)


@given(
    st.lists(blocks, max_size=4),
    st.integers(40, 120),
    st.sampled_from(["utf-8", "ascii", "cp1252"]),
)
def test_any_text_fits_any_page(shown: list[Block], width: int, encoding: str) -> None:
    page = text(*shown, width=width, encoding=encoding)
    page.encode(encoding)
    assert "\x1b" not in page
    for line in page.split("\n"):
        assert cell_len(line) <= width
        assert line == line.rstrip(" ")
    assert page == "" or page.endswith("\n")


def test_a_curve_is_an_area_over_an_axis_with_its_marks() -> None:
    falling = Curve(
        ((0, 1.0), (16, 0.0)), "May 1", "May 17", (Mark(4, "now"), Mark(16, "deadline")), 0.3
    )
    assert text(falling, width=20).splitlines() == [
        "1 |█▃",
        "  |██▆▁",
        "  |████▄",
        "  |█████▇▂",
        "  |███████▅",
        "  |█████████▃",
        "  |██████████▆▁-----",
        "  |████████████▄",
        "  |█████████████▇▂",
        "  |███████████████▅",
        "0 +----^-----------^",
        "       now  deadline",
        "   May 1      May 17",
    ]


def test_a_curve_needs_no_more_than_ascii() -> None:
    level = Curve(((0, 0.55), (1, 0.55)), "a", "b", level=0.75)
    assert text(level, width=20, encoding="ascii").splitlines() == [
        "1 |",
        "  |",
        "  |-----------------",
        "  |",
        *["  |#################"] * 6,
        "0 +-----------------",
        "   a               b",
    ]


def test_names_of_marks_that_would_overlap_stand_below_each_other() -> None:
    crowded = Curve(((0, 1.0), (1, 1.0)), "a", "b", (Mark(0.5, "now"), Mark(0.6, "the deadline")))
    assert text(crowded, width=23).splitlines()[-4:] == [
        "0 +----------^^--------",
        "             now",
        "           the deadline",
        "   a                  b",
    ]
