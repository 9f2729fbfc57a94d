"""A result as GitHub-flavoured markdown, to be put into an issue, a wiki or a mail.

All text comes from strangers as far as this module knows: whatever means something in markdown is escaped,
and control characters are shown as escapes. What is left is text, without HTML, links or images.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from memory_maintenance.model.one_line import escaped_markdown
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

_BAR_COLUMNS: Final = 20
_PLOT_COLUMNS: Final = 72

# GitHub makes links of these without any markup.
_LINKED: Final = re.compile(r":(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):|@", re.IGNORECASE)
# What begins a list, a heading or an underline at the start of a line. Quotes, rules and code fences begin
# with what is escaped everywhere.
_BEGINS_BLOCK: Final = re.compile(r"[0-9]{1,9}(?=[.)])|(?=[#+=-])")
_LANGUAGE: Final = re.compile(r"[a-z0-9+-]{1,20}")
_LABELS: Final = {"info": "", "hint": "**Hint:** ", "problem": "**Problem:** "}


def render(result: Result, page: Page) -> str:
    """The document, ending with one newline; under --quiet what text shows then, hence maybe "".

    Its width is the reader's affair: page.width isn't used.
    """
    blocks = result.quiet_blocks() if page.quiet else result.blocks()
    title = () if page.quiet else _title(result, page)
    parts = [*title, *(part for block in blocks if (part := _block(block, page)))]
    return "\n\n".join(parts) + "\n" if parts else ""


def _title(result: Result, page: Page) -> Iterator[str]:
    of = f" of {result.table}" if result.table else ""
    yield f"# {_heading(f'{result.command}{of}', page)}"
    if line := figures.instant_line(result):
        yield line[0].upper() + line[1:] + "."


def _block(block: Block, page: Page) -> str:
    match block:
        case Heading():
            text = _heading(block.text, page)
            return f"## {text}" if text else ""
        case KeyValues():
            pairs = ((key, shortened(value)) for key, value in block.rows)
            return "\n".join(f"- **{_line(k, page) or '-'}:** {_line(v, page)}" for k, v in pairs)
        case Table():
            return _titled(block.title, _table(block, page), page)
        case Bars():
            return _titled(block.title, _bars(block, page), page) if block.rows else ""
        case Curve():
            return _titled(block.title, _curve(block, page), page)
        case Note():
            return _note(block, page)
        case Code():
            language = block.language if _LANGUAGE.fullmatch(block.language) else ""
            text = visible(block.text.expandtabs(4), keep="\n", encoding=page.encoding)
            lines = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
            return _fenced(lines, language) if lines else ""
    assert_never(block)


def _titled(title: str | None, body: str, page: Page) -> str:
    text = _line(title, page) if title else ""
    return f"**{text}**\n\n{body}" if text else body


def _table(block: Table, page: Page) -> str:
    if not block.columns:
        return ""
    head = _row([_line(column.name, page) for column in block.columns])
    rule = _row(["---:" if column.align == "right" else "---" for column in block.columns])
    rows = (_row([_line(shortened(cell), page) for cell in row]) for row in block.rows)
    return "\n".join((head, rule, *rows))


def _bars(block: Bars, page: Page) -> str:
    values = [value for _, value in block.rows]
    peak = figures.peak_of(values)
    mark = "█" if visible("█", encoding=page.encoding) == "█" else "="
    lines = [_row(["", "", ""]), _row(["---", "---:", "---"])]
    for (label, value), number in zip(block.rows, figures.numbers(values), strict=True):
        # Something is never drawn as nothing.
        share = figures.share(value, peak)
        length = max(1, round(share * _BAR_COLUMNS)) if share else 0
        lines.append(
            _row(
                [
                    _line(shortened(label, figures.LONGEST_LABEL), page),
                    number,
                    mark * length,
                ]
            )
        )
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _curve(block: Curve, page: Page) -> str:
    # Only who shows a curve as text needs rich.
    from memory_maintenance.render.text import render_text

    plain = _Alone(command="", block=dataclasses.replace(block, title=None))
    plot = render_text(plain, width=_PLOT_COLUMNS, encoding=page.encoding)
    return _fenced(plot.rstrip("\n"), "")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Alone(Result):
    """A result of one block."""

    block: Block

    def blocks(self) -> Sequence[Block]:
        return (self.block,)


def _fenced(text: str, language: str) -> str:
    """The text as it is, within a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _note(block: Note, page: Page) -> str:
    text = shortened(block.text, figures.LONGEST_NOTE)
    lines = [line for part in text.split("\n") if (line := _line(part, page))]
    # A backslash at the end of a line keeps the break.
    return _LABELS[block.kind] + "\\\n".join(map(_beginning, lines)) if lines else ""


def _beginning(line: str) -> str:
    """A line that begins no list, heading or underline."""
    found = _BEGINS_BLOCK.match(line)
    return line if found is None else f"{found[0]}\\{line[found.end() :]}"


def _heading(text: str, page: Page) -> str:
    # Those at its end would be taken for part of the markup.
    return _line(text, page).replace("#", r"\#")


def _line(text: str, page: Page) -> str:
    """Text for a place within a line, which stays text."""
    shown = visible(text.replace("\t", " "), encoding=page.encoding)
    return _LINKED.sub(r"\\\g<0>", escaped_markdown(shown)).strip()
