"""Each block of a result as HTML.

Markup is put together by ``Markup.format``, which escapes whatever isn't markup itself: a value can't get
onto the page unescaped by forgetting something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, assert_never

from markupsafe import Markup

from memory_maintenance.model.result import (
    Bars,
    Block,
    Code,
    Curve,
    Heading,
    KeyValues,
    Note,
    Table,
)
from memory_maintenance.model.shortened import LONGEST_CELL, cut
from memory_maintenance.model.visible import visible
from memory_maintenance.render import figures, html_charts

# What has no end within so many characters is broken anywhere, so that it doesn't make its column as wide.
_UNBROKEN: Final = re.compile(r"\S{25}")
# Dates and spans would be broken at their hyphens.
_WHOLE: Final = re.compile(r"[0-9][0-9:.+ -]{0,30}")
# A bar's label stays on one line up to here, and a cell up to there: else a table that scrolls has all of its
# words below each other.
_BRIEF: Final = 22
_BRIEF_CELL: Final = 16
# From this many rows on a table scrolls by itself, under its header.
_LONG: Final = 60
_TENTHS: Final = 10
_LABELS: Final = {"info": "", "hint": "Hint: ", "problem": "Problem: "}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: a name for ids, unique on the page, and the heading above it."""

    name: str
    heading: str


def block(shown: Block, place: Place) -> Markup:
    """The block; empty markup where there is nothing to show. A heading is the page's affair."""
    match shown:
        case Heading():
            return Markup("")
        case KeyValues():
            return _key_values(shown)
        case Table():
            return _table(shown, place)
        case Bars():
            return _bars(shown, place)
        case Curve():
            return _curve(shown, place)
        case Note():
            return _note(shown)
        case Code():
            return _code(shown, place)
    assert_never(shown)


def text(value: str) -> Markup:
    """A text of one line, its control characters visible, escaped."""
    return Markup("{}").format(visible(value.replace("\t", " ")))


def direction(value: str) -> Markup:
    """The attribute by which text that may run from right to left finds its own direction."""
    return Markup("") if value.isascii() else Markup(' dir="auto"')


def _key_values(shown: KeyValues) -> Markup:
    rows = (
        Markup("<div><dt{}>{}</dt><dd{}>{}</dd></div>").format(
            direction(key), _cut(key), direction(value), _cut(value)
        )
        for key, value in shown.rows
    )
    return Markup("<dl>{}</dl>").format(_joined(rows)) if shown.rows else Markup("")


def _table(shown: Table, place: Place) -> Markup:
    if not shown.columns:
        return Markup("")
    kinds = ["number" if column.align == "right" else "text" for column in shown.columns]
    head = _joined(
        Markup('<th scope="col" class="{}"{}>{}</th>').format(
            kind, direction(column.name), _cut(column.name)
        )
        for column, kind in zip(shown.columns, kinds, strict=True)
    )
    body = _joined(_row(row, kinds) for row in shown.rows)
    return _scrolling(shown.title, place, head, body, "long" if len(shown.rows) >= _LONG else "")


def _row(cells: Iterable[str], kinds: Iterable[str]) -> Markup:
    first, *others = (
        (_kind(cell, kind), direction(cell), _cut(cell))
        for cell, kind in zip(cells, kinds, strict=True)
    )
    # The first cell is what the others are about.
    made = [Markup('<th scope="row" class="{}"{}>{}</th>').format(*first)]
    made += [Markup('<td class="{}"{}>{}</td>').format(*other) for other in others]
    return Markup("<tr>{}</tr>\n").format(_joined(made))


def _kind(cell: str, kind: str) -> str:
    """The classes of a cell: of its column, and whether its text may break."""
    if kind == "number":
        return kind
    shown = visible(cell)
    if _WHOLE.fullmatch(cell) or len(shown) <= _BRIEF_CELL:
        return f"{kind} brief"
    return f"{kind} unbroken" if _UNBROKEN.search(shown) else kind


def _scrolling(title: str | None, place: Place, head: Markup, body: Markup, kind: str) -> Markup:
    """A table that may be wider than the page within something that scrolls, by keyboard too."""
    named = title or place.heading
    caption = Markup("")
    if named:
        caption = Markup('<caption id="{}"{}{}>{}</caption>').format(
            place.name,
            Markup("") if title else Markup(' class="unseen"'),
            direction(named),
            _cut(named),
        )
    labelled = Markup(' aria-labelledby="{}"').format(place.name) if named else Markup("")
    header = Markup("<thead><tr>{}</tr></thead>\n").format(head) if head else Markup("")
    return Markup(
        '<div class="scroll {}" role="region" tabindex="0"{}><table>{}{}<tbody>{}</tbody></table></div>'
    ).format(kind, labelled or Markup(' aria-label="table"'), caption, header, body)


def _bars(shown: Bars, place: Place) -> Markup:
    """The chart is its own table: beside each number its bar."""
    if not shown.rows:
        return Markup("")
    values = [value for _, value in shown.rows]
    peak = figures.peak_of(values)
    rows = []
    for (label, value), number in zip(shown.rows, figures.numbers(values), strict=True):
        kind = "text brief" if len(label) <= _BRIEF else _kind(label, "text lengthy")
        share = figures.share(value, peak)
        drawn = html_charts.bar(share, "the longest bar") if share else Markup("")
        rows.append(
            Markup(
                '<tr><th scope="row" class="{}"{}>{}</th><td class="number">{}</td>'
                '<td class="drawn">{}</td></tr>\n'
            ).format(kind, direction(label), _cut(label, figures.LONGEST_LABEL), number, drawn)
        )
    return Markup('<figure class="bars">{}</figure>').format(
        _scrolling(shown.title, place, Markup(""), _joined(rows), "")
    )


def _curve(shown: Curve, place: Place) -> Markup:
    caption = Markup("")
    if shown.title:
        caption = Markup("<figcaption{}>{}</figcaption>").format(
            direction(shown.title), _cut(shown.title)
        )
    return Markup(
        '<figure class="plot">{}{}<details><summary>Values</summary>{}</details></figure>'
    ).format(caption, html_charts.plot(shown, place.name), _values(shown, place))


def _values(shown: Curve, place: Place) -> Markup:
    """The curve as a table: its ends, its marks, and tenths of the way in between."""
    first, last = shown.points[0][0], shown.points[-1][0]
    spots = [
        (first + (last - first) * tenth / _TENTHS, f"{tenth * 100 // _TENTHS}% of the way")
        for tenth in range(1, _TENTHS)
    ]
    spots += [(mark.x, mark.label) for mark in shown.marks]
    spots = [(first, shown.start), *sorted(spots, key=lambda spot: spot[0]), (last, shown.end)]
    heights = figures.numbers([figures.height_at(shown, x) for x, _ in spots])
    body = _joined(
        _row((label, height), ("text", "number"))
        for (_, label), height in zip(spots, heights, strict=True)
    )
    head = Markup('<th scope="col" class="text">at</th><th scope="col" class="number">value</th>')
    name = Place(f"{place.name}-values", f"Values: {shown.title or place.heading}")
    return _scrolling(None, name, head, body, "")


def _note(shown: Note) -> Markup:
    body, rest = cut(shown.text, figures.LONGEST_NOTE)
    label = Markup("<strong>{}</strong>").format(_LABELS[shown.kind]) if _LABELS[shown.kind] else ""
    return Markup('<p class="note {}"{}>{}{}</p>').format(
        shown.kind, direction(shown.text), label, visible(body + rest, keep="\n")
    )


def _code(shown: Code, place: Place) -> Markup:
    lines = visible(shown.text.expandtabs(4), keep="\n").strip("\n")
    if not lines.strip():
        return Markup("")
    label = f"{shown.language}: {place.heading}" if place.heading else shown.language
    return Markup('<pre role="region" tabindex="0" aria-label="{}"><code>{}</code></pre>').format(
        _cut(label), lines
    )


def _cut(value: str, longest: int = LONGEST_CELL) -> Markup:
    """A text of a length that a person would read; how long it is runs in a direction of its own."""
    shown, rest = cut(value, longest)
    return text(shown) + (Markup('<bdi class="rest">{}</bdi>').format(rest) if rest else "")


def _joined(parts: Iterable[Markup]) -> Markup:
    return Markup("").join(parts)
