"""The output formats, in one table."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from memory_maintenance.model.result import Result


@dataclass(frozen=True, slots=True)
class Page:
    """What a result is written on.

    width: columns. color: whether escape sequences are welcome. quiet: show only what is wrong.
    encoding: the characters that the reader's stream can hold.
    """

    width: int = 80
    color: bool = False
    quiet: bool = False
    encoding: str = "utf-8"


Renderer = Callable[[Result, Page], str]

# name -> "module:function". Loaded when asked for: the text format needs rich, the others don't.
FORMATS: dict[str, str] = {
    "text": "memory_maintenance.render.text:render",
    "json": "memory_maintenance.render.json:render",
}

AUDIT_FORMATS: dict[str, str] = {
    **FORMATS,
    "sarif": "memory_maintenance.audit.formats.sarif:render",
    "github": "memory_maintenance.audit.formats.github:render",
}
"""What an audit's result can be had in."""

REPORT_FORMATS: dict[str, str] = {
    **FORMATS,
    "markdown": "memory_maintenance.render.markdown:render",
    "html": "memory_maintenance.render.html:render",
}
"""What a report can be had in."""

EXTRACTION_FORMATS: dict[str, str] = {
    **FORMATS,
    "openai-tool": "memory_maintenance.extraction.formats:render_openai_tool",
    "json-schema": "memory_maintenance.extraction.formats:render_json_schema",
}
"""What the contract with an extractor's model can be had in."""


def renderer(name: str) -> Renderer:
    """The function that renders in the named format; KeyError for a name that is in no table."""
    module, _, function = {**AUDIT_FORMATS, **EXTRACTION_FORMATS, **REPORT_FORMATS}[name].partition(
        ":"
    )
    render: Renderer = getattr(importlib.import_module(module), function)
    return render
