"""A result as text for people: plain, dense, and never wider than the page.

Tables look like those of psql or borg: a header, a rule, no boxes. Code alone may exceed the width,
since a command that was wrapped can't be copied.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import assert_never

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from memory_maintenance.model.result import (
    Bars,
    Block,
    Code,
    Curve,
    Heading,
    KeyValues,
    Note,
    Result,
    Table,
)
from memory_maintenance.model.shortened import shortened
from memory_maintenance.model.visible import visible
from memory_maintenance.render import figures
from memory_maintenance.render.formats import Page

# Below this a table of four columns has nothing left to fold into.
_MIN_WIDTH = 20
_TRAILING_SPACE = re.compile(r"[ ]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)

# One rule under the header, broken between the columns; no edges (rich draws those at width's
# cost).
_RULED = Box(
    "    \n"
    "    \n"
    " -  \n"
    "    \n"
    "    \n"
    "    \n"
    "    \n"
    "    \n",
    ascii=True,
)  # fmt: skip

_CURVE_ROWS = 10
_EIGHTHS = "▁▂▃▄▅▆▇█"

_NOTE_STYLES = {"info": "", "hint": "cyan", "problem": "bold red"}


def render_text(
    result: Result,
    *,
    width: int = 80,
    color: bool = False,
    quiet: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The result's blocks, ending with exactly one newline; "" where there is nothing to show.

    width: columns; less than 20 counts as 20. quiet: only what the operator must see. color: with
    escape sequences. encoding: what the stream can hold; other characters are shown as escapes.
    """
    blocks = result.quiet_blocks() if quiet else result.blocks()
    page = Page(max(width, _MIN_WIDTH), color, quiet, encoding)
    text = ""
    previous: Block | None = None
    for block in blocks:
        body = _block(block, page)
        if not body:
            continue
        text += _gap(previous, block) + body + "\n"
        previous = block
    return text


def render(result: Result, page: Page) -> str:
    """``render_text`` as the table of formats wants it."""
    return render_text(
        result, width=page.width, color=page.color, quiet=page.quiet, encoding=page.encoding
    )


def _gap(previous: Block | None, block: Block) -> str:
    """The empty line between blocks; a heading keeps to what it heads, a note to its neighbour."""
    if previous is None or (isinstance(previous, Heading) and not isinstance(block, Heading)):
        return ""
    if isinstance(previous, Note) and isinstance(block, Note):
        return ""
    return "\n"


def _block(block: Block, page: Page) -> str:
    match block:
        case Heading():
            return _print(Text(_line(block.text, page), style="bold"), page)
        case KeyValues():
            return _print(_key_values(block, page), page)
        case Table():
            return _titled(block.title, _table(block, page), page)
        case Bars():
            return _titled(block.title, _bars(block, page), page)
        case Curve():
            return _titled(block.title, Text(_curve(block, page)), page)
        case Note():
            return _print(_note(block, page), page)
        case Code():
            return _code(block, page)
    assert_never(block)


def _titled(title: str | None, body: RenderableType | None, page: Page) -> str:
    parts = [Text(_line(title, page), style="bold")] if title else []
    return "\n".join(_print(part, page) for part in (*parts, body) if part is not None)


def _table(block: Table, page: Page) -> RenderableType:
    grid = Grid(box=_RULED, show_edge=False, pad_edge=False, padding=0, header_style="bold")
    for column in block.columns:
        # Folding everywhere: a cut number would be a wrong one. Rich narrows the widest columns
        # first, so that numbers fold only on a page too narrow for anything.
        name = Text(_line(column.name, page), style="bold")
        grid.add_column(name, justify=column.align, overflow="fold", vertical="top")
    for row in block.rows:
        grid.add_row(*(Text(_line(shortened(cell), page)) for cell in row))
    return grid


def _key_values(block: KeyValues, page: Page) -> RenderableType:
    grid = Grid.grid(padding=(0, 2, 0, 0), pad_edge=False)
    widest = max((cell_len(_line(key, page)) for key, _ in block.rows), default=0)
    grid.add_column(overflow="fold", width=min(widest, page.width // 2))
    grid.add_column(overflow="fold")
    for key, value in block.rows:
        grid.add_row(Text(_line(key, page)), Text(_line(value, page)))
    return grid


def _bars(block: Bars, page: Page) -> RenderableType | None:
    if not block.rows:
        return None
    numbers = figures.numbers([value for _, value in block.rows])
    labels = [_line(label, page) for label, _ in block.rows]
    label_width = min(max(map(cell_len, labels)), page.width * 2 // 5)
    number_width = max(map(len, numbers))
    room = max(1, page.width - label_width - number_width - 4)
    peak = max((value for _, value in block.rows if math.isfinite(value)), default=0.0)
    mark = "█" if visible("█", encoding=page.encoding) == "█" else "#"
    grid = Grid.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(overflow="fold", width=label_width)
    grid.add_column(overflow="fold", justify="right")
    grid.add_column(overflow="crop", no_wrap=True)
    for label, number, (_, value) in zip(labels, numbers, block.rows, strict=True):
        grid.add_row(Text(label), Text(number), Text(mark * _bar_length(value, peak, room)))
    return grid


def _bar_length(value: float, peak: float, room: int) -> int:
    if not (math.isfinite(value) and 0 < value <= peak):
        return 0
    # Something is never drawn as nothing.
    return max(1, round(value / peak * room))


def _curve(block: Curve, page: Page) -> str:
    """The area below the line, a character a column, then an axis with the marks and their names."""
    numbers = [f"{block.top:g}", "0"]
    margin = max(map(len, numbers)) + 2
    columns = max(2, page.width - margin)
    full = visible(_EIGHTHS, encoding=page.encoding) == _EIGHTHS
    first, last = block.points[0][0], block.points[-1][0]
    xs = [first + (last - first) * column / (columns - 1) for column in range(columns)]
    heights = [_height(block.points, x) / block.top * _CURVE_ROWS for x in xs]
    level = -1 if block.level is None else int(block.level / block.top * _CURVE_ROWS)
    lines = []
    for row in reversed(range(_CURVE_ROWS)):
        blank = "-" if row == level else " "
        drawn = "".join(_area(height - row, blank, full=full) for height in heights)
        lines.append(f"{numbers[0] if row == _CURVE_ROWS - 1 else '':>{margin - 2}} |{drawn}")
    places = [round((mark.x - first) / (last - first) * (columns - 1)) for mark in block.marks]
    axis = "".join("^" if column in places else "-" for column in range(columns))
    lines.append(f"{numbers[1]:>{margin - 2}} +{axis}")
    names = sorted(zip(places, (_line(m.label, page) for m in block.marks), strict=True))
    lines += [" " * margin + line for line in _names(names, columns)]
    start, end = _line(block.start, page), _line(block.end, page)
    lines.append(" " * margin + start + end.rjust(max(1, columns - cell_len(start))))
    return "\n".join(lines)


def _height(points: Sequence[tuple[float, float]], x: float) -> float:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x1 > x0 else y1
    return points[-1][1]


def _area(height: float, blank: str, *, full: bool) -> str:
    """One character of the area: height 1 and more fills it."""
    if not full:
        return "#" if height >= 0.5 else blank
    eighths = min(8, max(0, round(height * 8)))
    return _EIGHTHS[eighths - 1] if eighths else blank


def _names(names: Sequence[tuple[int, str]], columns: int) -> list[str]:
    """Each name under its place, moved to the left where it would stick out; on a line with room for it."""
    lines: list[str] = []
    for place, name in names:
        at = max(0, min(place, columns - cell_len(name)))
        fitting = next((i for i, line in enumerate(lines) if cell_len(line) < at), None)
        if fitting is None:
            lines.append("")
            fitting = len(lines) - 1
        lines[fitting] += " " * (at - cell_len(lines[fitting])) + name
    return lines


def _note(block: Note, page: Page) -> RenderableType:
    label = "" if block.kind == "info" else f"{block.kind}: "
    text = shortened(block.text, figures.LONGEST_NOTE)
    body = visible(text, keep="\n", encoding=page.encoding)
    return Text.assemble((label, _NOTE_STYLES[block.kind]), body, overflow="fold")


def _code(block: Code, page: Page) -> str:
    lines = visible(block.text.expandtabs(4), keep="\n", encoding=page.encoding).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _line(text: str, page: Page) -> str:
    """Text for a place that is one line: a line break in a fact must not look like another row."""
    return visible(text.replace("\t", " "), encoding=page.encoding)


def _print(renderable: RenderableType, page: Page) -> str:
    """What rich makes of it, without the spaces it fills lines with and without the last newline.

    Rich reads the environment for what isn't said here; everything is said, and the environment
    empty, so that the same arguments always give the same text.
    """
    sink = io.StringIO()
    console = Console(
        file=sink,
        width=page.width,
        height=1000,
        color_system="standard" if page.color else None,
        force_terminal=page.color,
        no_color=not page.color,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    console.print(renderable)
    return _TRAILING_SPACE.sub(r"\1", sink.getvalue()).rstrip("\n")
