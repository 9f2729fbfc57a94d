"""A result as one HTML page that needs nothing else: no script, no network, its style within.

Its policy forbids everything but that very style and images within the page itself, so that even markup which
got through would do nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import groupby
from typing import Final

from markupsafe import Markup

from memory_maintenance import __version__
from memory_maintenance.model.result import Bars, Block, Heading, Result
from memory_maintenance.model.shortened import shortened
from memory_maintenance.render import figures
from memory_maintenance.render.formats import Page
from memory_maintenance.render.html_blocks import Place, block, direction, text

_STYLE: Final = "report.css"
# From this many sections on the page begins with a list of them.
_MANY: Final = 4

_PAGE: Final = Markup(
    """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{digest}'; \
img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div class="page{kind}">
<header>
<p class="tool">memory-maintenance {command}</p>
<h1{direction}>{subject}</h1>
{line}</header>
{contents}<main id="report">
{sections}</main>
<footer><p>memory-maintenance {version}</p></footer>
</div>
</body>
</html>
"""
)


@dataclass(slots=True)
class _Section:
    """A heading, None where the page begins without one, and what stands below it."""

    name: str
    heading: str | None
    blocks: list[Block] = field(default_factory=list)


def render(result: Result, page: Page) -> str:
    """The page, whole also under --quiet: who asks for HTML wants to look at it.

    Where the stream can't hold all characters, they are character references.
    """
    sections = _sections(result.blocks())
    headed = [section for section in sections if section.heading is not None]
    style = _style()
    subject = result.table or result.command
    line = figures.instant_line(result)
    document = _PAGE.format(
        digest=_digest(style),
        title=text(", ".join(filter(None, (f"{result.command} of {subject}", line)))),
        style=Markup(style),  # noqa: S704 - ours
        kind=" listed" if len(headed) >= _MANY else "",
        command=text(result.command),
        direction=direction(subject),
        subject=text(shortened(subject)),
        line=Markup('<p class="instant">{}</p>\n').format(line[:1].upper() + line[1:])
        if line
        else "",
        contents=_contents(headed) if len(headed) >= _MANY else "",
        sections=Markup("").join(map(_section, sections)),
        version=__version__,
    )
    if page.encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        return str(document)
    return document.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _sections(blocks: Sequence[Block]) -> list[_Section]:
    sections: list[_Section] = []
    for shown in blocks:
        if isinstance(shown, Heading):
            sections.append(_Section(f"s{len(sections) + 1}", shown.text))
            continue
        if not sections:
            sections.append(_Section("s1", None))
        sections[-1].blocks.append(shown)
    return sections


def _contents(sections: Sequence[_Section]) -> Markup:
    links = (
        Markup('<li><a href="#{}"{}>{}</a></li>').format(
            section.name,
            direction(section.heading or ""),
            text(shortened(section.heading or "")),
        )
        for section in sections
    )
    return Markup('<nav aria-label="Sections"><ol>{}</ol></nav>\n').format(Markup("").join(links))


def _section(section: _Section) -> Markup:
    heading, label = Markup(""), Markup("")
    if section.heading is not None:
        heading = Markup('<h2 id="{}"{}>{}</h2>\n').format(
            section.name,
            direction(section.heading),
            text(shortened(section.heading)),
        )
        label = Markup(' aria-labelledby="{}"').format(section.name)
    named = [
        (shown, Place(f"{section.name}-{number}", section.heading or ""))
        for number, shown in enumerate(section.blocks, 1)
    ]
    body = Markup("")
    for are_bars, group in groupby(named, key=lambda entry: isinstance(entry[0], Bars)):
        made = Markup("\n").join(block(shown, place) for shown, place in group)
        # Charts of one kind stand beside each other, where there is room.
        body += Markup('<div class="charts">{}</div>\n').format(made) if are_bars else made + "\n"
    return Markup("<section{}>\n{}{}</section>\n").format(label, heading, body)


def _style() -> str:
    return (resources.files("memory_maintenance.render") / _STYLE).read_text("ascii")


def _digest(style: str) -> str:
    """By what the page's policy knows its style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
