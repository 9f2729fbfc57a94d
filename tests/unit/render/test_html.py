"""HTML: one page, well-formed, whatever the facts say; readable in both colour schemes."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from memory_maintenance.render.html import render
from tests.support.report_sample import HEBREW, HOSTILE, sample
from tests.unit.render.shown import Shown

STYLE = (resources.files("memory_maintenance.render") / "report.css").read_text("ascii")
VOID = {"meta", "link"}
ELEMENTS = {
    *("html", "head", "meta", "title", "link", "style", "body", "div", "header", "h1", "nav", "ol"),
    *("li", "a", "main", "section", "h2", "p", "strong", "footer", "table", "caption", "thead"),
    *("tbody", "tr", "th", "td", "dl", "dt", "dd", "figure", "figcaption", "details", "summary"),
    *("pre", "code", "bdi", "svg", "desc", "rect", "line", "path", "circle", "text"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "rel", "href", "class", "id", "dir"),
    *(
        "scope",
        "role",
        "tabindex",
        "aria-label",
        "aria-labelledby",
        "aria-describedby",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
    ),
    *("y2", "cx", "cy", "r", "rx", "d", "width", "height", "viewbox", "preserveaspectratio"),
    *("text-anchor", "vector-effect"),
}


class Read(HTMLParser):
    """What a page is made of. Fails on an element that is closed by another's end."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len({name for name, _ in attrs})
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Only SVG may be closed so.
        assert "svg" in self._open
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self._open[-1] if self._open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def of(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if tag in tags]

    def values(self, name: str) -> list[str | None]:
        return [attributes[name] for _, attributes in self.elements if name in attributes]


def page(*blocks: Block, encoding: str = "utf-8") -> str:
    return render(Shown(shown=blocks), Page(encoding=encoding))


def every_block(text: str) -> tuple[Block, ...]:
    return (
        Heading(text),
        Table((Column(text), Column("n", "right")), ((text, text), (text, "2")), title=text),
        KeyValues(((text, text),)),
        Bars(((text, 1.0), (text, 2.0)), title=text),
        Curve(((0, 1.0), (1, 0.0)), text, text, (Mark(0.5, text),), 0.3, title=text),
        Note(text),
        Note(text, "problem"),
        Code(text, text),
        *(Heading(text) for _ in range(4)),
    )


def check_harmless(document: str) -> Read:
    read = Read(document)
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    assert {name for _, attributes in read.elements for name in attributes} <= ATTRIBUTES
    assert all(re.fullmatch(r"data:,|#s[0-9]+", str(link)) for link in read.values("href"))
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {*read.values("aria-labelledby"), *read.values("aria-describedby")} <= set(ids)
    return read


def test_a_report_is_a_page_of_semantic_parts() -> None:
    read = check_harmless(render(sample(), Page()))
    assert read.elements[0] == ("html", {"lang": "en"})
    assert read.of("title")[0] == ("report of public.entity_facts, as of 2026-06-01 00:00:00 UTC")
    assert read.of("h1") == ["public.entity_facts"]
    assert read.of("h2") == read.of("a")
    assert len(read.of("h2")) == 9
    scopes = [a.get("scope") for tag, a in read.elements if tag == "th"]
    assert set(scopes) == {"col", "row"}
    tables = sum(tag == "table" for tag, _ in read.elements)
    assert tables == sum(tag == "caption" for tag, _ in read.elements) == 8
    images = [a for tag, a in read.elements if tag == "svg" and "role" in a]
    assert {a["role"] for a in images} == {"img"}
    # A bar for each number, and the curve.
    assert len(images) == 10 + 10 + 30 + 1


def test_the_policy_allows_that_style_and_nothing_else() -> None:
    document = render(sample(), Page())
    style = re.search("<style>(.*)</style>", document, re.S)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = next(
        html.unescape(found)
        for found in re.findall('Content-Security-Policy" content="([^"]*)"', document)
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert not re.search(r"\bstyle=", document)


@pytest.mark.parametrize("fact", [*HOSTILE, HEBREW])
def test_a_hostile_fact_stays_text_wherever_it_stands(fact: str) -> None:
    result = Shown(command="report", table=fact, shown=every_block(fact))
    read = check_harmless(render(result, Page()))
    shown = visible(fact)
    assert read.of("caption").count(shown) == 2
    assert read.of("td").count(shown) == 1
    assert read.of("th").count(shown) >= 5
    assert read.of("h1", "dt", "dd", "figcaption") == [shown] * 4
    assert read.of("h2") == [shown] * 5
    assert visible(fact, keep="\n").strip("\n") in read.of("code")


@given(st.text(min_size=1, max_size=40))
def test_any_text_makes_the_same_page_but_for_the_text(text: str) -> None:
    read = check_harmless(page(*every_block(text)))
    plain = Read(page(*every_block("x")))
    assert [tag for tag, _ in read.elements if tag not in ("pre", "code")] == [
        tag for tag, _ in plain.elements if tag not in ("pre", "code")
    ]


@pytest.mark.parametrize("fact", HOSTILE)
def test_control_characters_are_shown_and_not_obeyed(fact: str) -> None:
    document = page(*every_block(fact))
    assert not set(document) & set("\0\x1b\u202e\u2028\ufeff\ud800\r")
    document.encode()


def test_text_from_right_to_left_finds_its_own_direction() -> None:
    document = page(*every_block(HEBREW))
    marked = re.findall(r'<(\w+)[^>]* dir="auto"', document)
    assert {"th", "td", "dt", "dd", "h2", "caption", "figcaption", "p"} <= set(marked)
    assert " dir=" not in page(*every_block("plain"))


def test_a_curve_is_described_and_has_its_values_beside_it() -> None:
    curve = Curve(
        ((0, 1.0), (10, 0.0)), "May 1", "May 11", (Mark(2.5, "now"), Mark(8, "deadline")), 0.2
    )
    read = check_harmless(page(curve))
    assert read.of("title")[1:] == ["From May 1 to May 11"]
    assert read.of("desc") == [
        "From 1 at May 1 to 0 at May 11. now: 0.75. deadline: 0.2. A line marks 0.2."
    ]
    values = list(zip(read.of("th")[2:], read.of("td"), strict=True))
    assert values[:4] == [
        ("May 1", "1.000"),
        ("10% of the way", "0.900"),
        ("20% of the way", "0.800"),
        ("now", "0.750"),
    ]
    assert values[-1] == ("May 11", "0.000")
    assert len(values) == 2 + 9 + 2
    paths = [a["d"] for tag, a in read.elements if tag == "path"]
    assert paths == ["M0 0L1000 1000L1000 1000L0 1000Z", "M0 0L1000 1000"]
    assert [a["cx"] for tag, a in read.elements if tag == "circle"] == ["25%", "80%"]


@pytest.mark.parametrize("x", [0.0, 0.3, 0.49, 0.5, 0.51, 1.0])
def test_names_of_marks_stay_on_a_narrow_page_and_off_each_other(x: float) -> None:
    label = "archive from 2026-06-19 12:00"
    marks = (Mark(x, label), Mark(min(1, x + 0.02), "now"), Mark(min(1, x + 0.04), "w" * 500))
    read = Read(page(Curve(((0, 1.0), (1, 1.0)), "a", "b", marks)))
    spans: list[tuple[str | None, float, float]] = []
    named = [a for tag, a in read.elements if tag == "text" and a["class"] == "mark-name"]
    for attributes, text in zip(named, read.of("text")[3:], strict=False):
        at, width = float(str(attributes["x"]).rstrip("%")) * 2.7, len(text) * 7.2
        left = at - width if attributes["text-anchor"] == "end" else at
        assert left >= -0.01
        assert left + width <= 270.01
        spans.append((attributes["y"], left, left + width))
    for line, left, right in spans:
        same = [span for span in spans if span[0] == line and span != (line, left, right)]
        assert all(right <= other[1] or other[2] <= left for other in same)


def test_long_ends_of_an_axis_stand_below_each_other() -> None:
    def heights(start: str, end: str) -> list[str | None]:
        read = Read(page(Curve(((0, 1.0), (1, 1.0)), start, end)))
        return [a["y"] for _, a in read.elements if a.get("class") == "end-of-axis"]

    assert heights("2026-05-20", "2026-07-19") == ["191", "191"]
    assert heights("2026-05-20 00:00:00 UTC", "2026-07-19 00:00:00 UTC") == ["191", "208"]


def test_bars_are_drawn_to_one_scale_and_never_as_nothing() -> None:
    read = Read(page(Bars((("a", 200.0), ("b", 50.0), ("c", 1e-9), ("d", 0.0)))))
    widths = [a["width"] for tag, a in read.elements if tag == "rect"]
    assert widths == ["100.0%", "25.0%", "0.5%"]
    assert read.of("title")[1:] == [
        "100% of the longest bar",
        "25% of the longest bar",
        "below 1% of the longest bar",
    ]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 0.0, -1.0])
def test_a_number_that_has_no_length_has_no_bar(value: float) -> None:
    assert "<svg" not in page(Bars((("a", value),)))


@pytest.mark.parametrize("blocks", [(), (Bars(()),), (Table((), ()),), (Code(""),), (Heading(""),)])
def test_an_empty_result_is_a_page_all_the_same(blocks: Sequence[Block]) -> None:
    check_harmless(page(*blocks))


def test_long_texts_are_cut_and_long_tables_scroll_by_themselves() -> None:
    table = Table((Column("category"),), tuple((f"c{n}",) for n in range(5_000)))
    read = Read(page(table, Note("n" * 9_000), KeyValues((("k", "v" * 10_000),))))
    assert "scroll long" in read.values("class")
    assert len(read.of("th")) == 5_001
    assert max(len(text) for tag, text in read.texts if tag != "style") < 4_100
    assert read.of("dd", "bdi") == ["v" * 200, "... (10,000 characters)"]


def test_the_same_result_gives_the_same_bytes_and_quiet_changes_nothing() -> None:
    assert render(sample(), Page()) == render(sample(), Page(width=20, quiet=True, color=True))


def test_a_stream_that_is_not_utf8_gets_references() -> None:
    text = page(*every_block("naïve 中 😀"), encoding="latin-1")
    assert text.isascii()
    assert "naïve 中 😀" in Read(text).of("dd")


def colours(style: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", style))


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 reckons it: from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_reckoned_as_wcag_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_charts_have_the_contrast_of_wcag_aa(scheme: str) -> None:
    light, _, dark = STYLE.partition("@media screen and (prefers-color-scheme: dark)")
    palette = colours(light if scheme == "light" else dark)
    assert len(palette) == 8
    for text in ("ink", "muted", "accent", "problem"):
        assert contrast(palette[text], palette["paper"]) >= 4.5, text
    assert contrast(palette["ink"], palette["panel"]) >= 4.5
    # No colour is written but in these two places.
    rules = STYLE[STYLE.index("box-sizing") :]
    assert not re.search(r"#[0-9a-f]{3,8}\b|rgb\(", rules)
