"""Bars and curves as inline SVG.

The library writes text and attributes as they are given: whatever text gets here passes through ``_safe``.
Horizontal places are per cent and vertical ones pixels, so that a chart takes any width without scaling its
text. Colours and fonts are the page's classes; no style attribute, which its policy forbids.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

import svg
from markupsafe import Markup, escape

from memory_maintenance.model.result import Curve, Mark
from memory_maintenance.model.visible import visible
from memory_maintenance.render.figures import height_at, place_of

# Pixels. Below the plot come the marks' names, a line as high as _LINE each, then the ends of the axis.
_TOP: Final = 8
_PLOT: Final = 168
_LINE: Final = 17
_BASELINE: Final = 15

# Names are laid out for the narrowest page; on a wider one they only move apart.
_NARROWEST: Final = 270.0
_COLUMN: Final = 7.2
_LONGEST_NAME: Final = 32

# The coordinates of the line, stretched over the plot.
_UNIT: Final = 1000


def bar(share: float, percent_of: str) -> Markup:
    """A bar, as long as its share (0 to 1) of the room it has.

    percent_of: what the longest bar is, for those who can't see it.
    """
    title = f"{share:.0%} of {percent_of}" if share >= 0.01 else f"below 1% of {percent_of}"
    # Something is never drawn as nothing.
    length = max(0.5, round(share * 100, 2))
    return _markup(
        svg.SVG(
            xmlns=None,
            class_=["bar"],
            extra={"role": "img"},
            width=svg.Length(100, "%"),
            height=10,
            elements=[
                svg.Title(text=_safe(title)),
                svg.Rect(x=0, y=0, width=svg.Length(length, "%"), height=10, rx=1.5),
            ],
        )
    )


def plot(curve: Curve, name: str) -> Markup:
    """The area below the line over its axis, with the level and the marks.

    name: begins the ids of its title and description; unique on the page.
    """
    placed, lines = _names(curve)
    foot = _TOP + _PLOT
    ends = foot + _BASELINE + lines * _LINE
    # Side by side where there is room on a narrow page, else below each other.
    both = _columns(_named(curve.start)) + _columns(_named(curve.end)) + 1
    second = 0 if both * _COLUMN <= _NARROWEST else _LINE
    title = curve.title or f"From {curve.start} to {curve.end}"
    elements: list[svg.Element] = [
        svg.Title(id=f"{name}-title", text=_safe(title)),
        svg.Desc(id=f"{name}-desc", text=_safe(described(curve))),
        *_scale(curve),
        _line(curve),
        *_level(curve),
    ]
    for entry in placed:
        elements += _mark(curve, entry)
    elements += [
        _text("0%", ends, _named(curve.start), "start", "end-of-axis"),
        _text("100%", ends + second, _named(curve.end), "end", "end-of-axis"),
    ]
    return _markup(
        svg.SVG(
            xmlns=None,
            class_=["curve"],
            extra={
                "role": "img",
                "aria-labelledby": f"{name}-title",
                "aria-describedby": f"{name}-desc",
            },
            width=svg.Length(100, "%"),
            height=ends + second + 6,
            elements=elements,
        )
    )


def described(curve: Curve) -> str:
    """The curve in a sentence or two."""
    (_, first), (_, last) = curve.points[0], curve.points[-1]
    parts = [f"From {first:.3g} at {curve.start} to {last:.3g} at {curve.end}."]
    parts += [f"{mark.label}: {height_at(curve, mark.x):.3g}." for mark in curve.marks]
    if curve.level is not None:
        parts.append(f"A line marks {curve.level:g}.")
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Named:
    """A mark and its name: at which per cent, on which line, growing to which side."""

    mark: Mark
    text: str
    at: float
    line: int
    anchor: Literal["start", "end"]


def _names(curve: Curve) -> tuple[list[_Named], int]:
    """Each name on the first line with room for it, and how many lines that takes."""
    ends: list[float] = []
    placed = []
    for mark in sorted(curve.marks, key=lambda mark: mark.x):
        text = _named(mark.label)
        place, width = place_of(curve, mark.x) * _NARROWEST, _columns(text) * _COLUMN
        anchor: Literal["start", "end"]
        if place + width <= _NARROWEST:
            at, anchor, left = place, "start", place
        elif place >= width:
            at, anchor, left = place, "end", place - width
        else:
            left = max(0.0, _NARROWEST - width)
            at, anchor = left, "start"
        line = next((i for i, end in enumerate(ends) if end < left), len(ends))
        ends[line:] = [left + width + _COLUMN, *ends[line + 1 :]]
        placed.append(_Named(mark, text, at / _NARROWEST, line, anchor))
    return placed, len(ends)


def _scale(curve: Curve) -> list[svg.Element]:
    elements: list[svg.Element] = []
    for value in (0.0, curve.top / 2, curve.top):
        y = _y(curve, value)
        kind = "axis" if value == 0 else "grid"
        elements.append(_rule("0%", "100%", y, y, kind))
        elements.append(_text(-8, y + 4, f"{value:g}", "end", "tick"))
    return elements


def _line(curve: Curve) -> svg.Element:
    spots = [
        (
            round(place_of(curve, x) * _UNIT, 2),
            round((1 - min(1.0, max(0.0, y / curve.top))) * _UNIT, 2),
        )
        for x, y in curve.points
    ]
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in spots)
    area = f"{line}L{spots[-1][0]:g} {_UNIT}L{spots[0][0]:g} {_UNIT}Z"
    return svg.SVG(
        xmlns=None,
        class_=["stretched"],
        x=0,
        y=_TOP,
        width=svg.Length(100, "%"),
        height=_PLOT,
        viewBox=svg.ViewBoxSpec(0, 0, _UNIT, _UNIT),
        preserveAspectRatio=svg.PreserveAspectRatio("none"),
        elements=[
            svg.Path(class_=["area"], extra={"d": area}),
            svg.Path(class_=["line"], extra={"d": line}, vector_effect="non-scaling-stroke"),
        ],
    )


def _level(curve: Curve) -> list[svg.Element]:
    if curve.level is None:
        return []
    y = _y(curve, curve.level)
    # Above its line, where there is room.
    beside = y - 5 if y - 5 > _TOP + 10 else y + 14
    return [
        _rule("0%", "100%", y, y, "level"),
        _text("100%", beside, f"{curve.level:g}", "end", "level-name"),
    ]


def _mark(curve: Curve, entry: _Named) -> list[svg.Element]:
    place, foot = place_of(curve, entry.mark.x), _TOP + _PLOT
    y = foot + _BASELINE + entry.line * _LINE
    return [
        _rule(_percent(place), _percent(place), _TOP, y - _BASELINE + 4, "mark"),
        svg.Circle(
            class_=["dot"],
            r=3.5,
            cy=_y(curve, height_at(curve, entry.mark.x)),
            extra={"cx": _percent(place)},
        ),
        _text(_percent(entry.at), y, entry.text, entry.anchor, "mark-name"),
    ]


def _rule(x1: str, x2: str, y1: float, y2: float, kind: str) -> svg.Element:
    return svg.Line(class_=[kind], y1=y1, y2=y2, extra={"x1": x1, "x2": x2})


def _text(
    x: str | float, y: float, text: str, anchor: Literal["start", "end"], kind: str
) -> svg.Element:
    return svg.Text(
        class_=[kind], text_anchor=anchor, y=y, text=_safe(text) or " ", extra={"x": str(x)}
    )


def _y(curve: Curve, value: float) -> float:
    return round(_TOP + _PLOT * (1 - min(1.0, max(0.0, value / curve.top))), 1)


def _percent(share: float) -> str:
    return f"{share * 100:.5g}%"


def _named(label: str) -> str:
    """A label of a length that has room on a narrow page."""
    text = visible(label.replace("\t", " "))
    if _columns(text) <= _LONGEST_NAME:
        return text
    while _columns(text) >= _LONGEST_NAME:
        text = text[: min(len(text) - 1, _LONGEST_NAME)]
    return text.rstrip() + "…"


def _columns(text: str) -> int:
    """Its width in letters, wide ones counted twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _safe(text: str) -> str:
    return str(escape(visible(text)))


def _markup(element: svg.Element) -> Markup:
    return Markup(str(element))  # noqa: S704 - every text in it went through _safe
