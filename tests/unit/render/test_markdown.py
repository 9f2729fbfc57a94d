"""Markdown: what a parser makes of it is what was meant, whatever the facts say."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

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
from memory_maintenance.model.visible import visible
from memory_maintenance.render.formats import Page
from memory_maintenance.render.markdown import render
from tests.support.report_sample import HOSTILE, sample
from tests.unit.render.shown import Shown

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HARMLESS = {
    *("heading", "paragraph", "inline", "text", "strong", "softbreak", "hardbreak", "fence"),
    *("bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td"),
}
# What GitHub makes a link of by itself, as it finds it in the source.
AUTOLINK = re.compile(r"(https?|ftp)://|www\.|(mailto|xmpp):", re.IGNORECASE)


def markdown(*blocks: Block, page: Page | None = None) -> str:
    """The blocks alone, without the title."""
    return render(Shown(shown=blocks), page or Page()).removeprefix("# test\n").removeprefix("\n")


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for token in PARSER.parse(text):
        found += [token, *(token.children or ())]
    return found


def kinds(text: str) -> set[str]:
    return {token.type.removesuffix("_open").removesuffix("_close") for token in tokens(text)}


def cells(text: str) -> list[list[str]]:
    """The text of a table's cells, row by row, as a parser reads them."""
    rows: list[list[str]] = []
    parsed = PARSER.parse(text)
    for token, inner in itertools.pairwise(parsed):
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("td_open", "th_open"):
            rows[-1].append("".join(child.content for child in inner.children or ()))
    return rows


def test_a_report_reads_as_markdown() -> None:
    result = Shown(
        command="report",
        table="public.entity_facts",
        as_of=datetime(2026, 6, 1, tzinfo=UTC),
        shown=(
            Heading("Facts"),
            Table((Column("durability"), Column("facts", "right")), (("long_term", "400"),)),
            KeyValues((("dead rows", "12"),)),
            Bars((("today", 40.0), ("long ago", 1.0)), title="Ages"),
            Note("400 facts changed.\nNone was archived."),
            Note("see docs", "hint"),
            Note("2 rows left alone", "problem"),
            Code("SELECT 1;\n\t-- `x`", "sql"),
        ),
    )
    assert render(result, Page()) == (
        "# report of public.entity\\_facts\n\n"
        "As of 2026-06-01 00:00:00 UTC.\n\n"
        "## Facts\n\n"
        "| durability | facts |\n| --- | ---: |\n| long\\_term | 400 |\n\n"
        "- **dead rows:** 12\n\n"
        "**Ages**\n\n"
        "|  |  |  |\n| --- | ---: | --- |\n| today | 40 | ████████████████████ |\n"
        "| long ago | 1 | █ |\n\n"
        "400 facts changed.\\\nNone was archived.\n\n"
        "**Hint:** see docs\n\n"
        "**Problem:** 2 rows left alone\n\n"
        "```sql\nSELECT 1;\n    -- `x`\n```\n"
    )


def test_a_curve_is_a_plot_within_a_fence_that_its_labels_cannot_close() -> None:
    curve = Curve(((0, 1.0), (1, 0.0)), "```", "end", (Mark(0.5, "````now"),), title="c|d")
    found = PARSER.parse(markdown(curve))
    assert [token.type for token in found] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
        "fence",
    ]
    assert "````now" in found[-1].content
    assert found[-1].markup == "`" * 5


@pytest.mark.parametrize("fact", HOSTILE)
def test_a_hostile_fact_stays_text_wherever_it_stands(fact: str) -> None:
    shown = (
        Heading(fact),
        Table((Column(fact), Column("n", "right")), ((fact, "1"), (fact, "2")), title=fact),
        KeyValues(((fact, fact),)),
        Bars(((fact, 1),), title=fact),
        Curve(((0, 1.0), (1, 0.0)), fact, fact, (Mark(0.5, fact),), title=fact),
        Note(fact),
        Note(fact, "problem"),
        Code(fact, fact),
    )
    text = render(Shown(table=fact, shown=shown), Page())
    assert kinds(text) <= HARMLESS
    unfenced = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.S | re.M)
    assert not AUTOLINK.search(unfenced)
    table, bars = visible(fact), re.sub(r"\s+", " ", visible(fact))
    assert cells(text)[0][0].split() == table.split()
    assert [len(row) for row in cells(text)] == [2, 2, 2, 3, 3]
    assert bars.split() == cells(text)[-1][0].split()


def test_the_sample_has_nothing_in_it_but_text() -> None:
    text = render(sample(), Page())
    assert kinds(text) <= HARMLESS
    assert len(text) < 20_000
    assert "(10,000 characters)" in text
    assert text == render(sample(), Page())


STEERING = st.sampled_from(list("\\`*_[]<>|~&$#+-=!:/@.()1\n\r\t \"'^a"))
anything = st.text(max_size=30) | st.lists(STEERING, max_size=30).map("".join)


@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=4))
def test_any_text_comes_back_from_a_table_as_it_was(rows: list[tuple[str, str]]) -> None:
    text = markdown(Table((Column("a"), Column("b")), tuple(rows)))
    read = cells(text)
    assert len(read) == len(rows) + 1
    for row, found in zip(rows, read[1:], strict=True):
        assert found == [visible(cell.replace("\t", " ")).strip() for cell in row]


@given(anything, st.sampled_from(["info", "hint", "problem"]))
def test_any_note_is_one_paragraph(text: str, kind: str) -> None:
    found = kinds(markdown(Note(text, kind)))  # type: ignore[arg-type]
    assert found <= {"paragraph", "inline", "text", "strong", "hardbreak"}


@given(anything)
def test_any_heading_is_itself(text: str) -> None:
    found = PARSER.parse(markdown(Heading(text)))
    assert [token.type for token in found] in (
        ["heading_open", "inline", "heading_close"],
        [],
    )
    shown = "".join(child.content for child in found[1].children or ()) if found else ""
    assert shown == visible(text.replace("\t", " ")).strip()


@given(anything)
def test_any_code_is_one_fence(text: str) -> None:
    assert kinds(markdown(Code(text))) <= {"fence"}


def test_quiet_shows_problems_only_and_otherwise_nothing() -> None:
    quiet = Page(quiet=True)
    assert render(Shown(shown=(Heading("h"), Note("fine"))), quiet) == ""
    assert render(Shown(shown=(Note("bad", "problem"),)), quiet) == "**Problem:** bad\n"


def test_an_encoding_gets_only_what_it_has() -> None:
    text = markdown(Bars((("中", 1),)), Note("é"), page=Page(encoding="ascii"))
    assert text.isascii()
    assert "\\\\u4e2d" in text


@pytest.mark.parametrize("block", [Bars(()), Code(" \n"), Note(""), Heading(" "), Table((), ())])
def test_nothing_to_show_leaves_no_trace(block: Block) -> None:
    assert markdown(block) == ""


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
def test_a_number_that_has_no_length_has_no_bar(value: float) -> None:
    assert "█" not in markdown(Bars((("a", value),)))
