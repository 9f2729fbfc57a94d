"""A result as one JSON document."""

from __future__ import annotations

import json

from memory_maintenance.model.result import Result
from memory_maintenance.render.formats import Page


def render_json(result: Result) -> str:
    """The result's fields as an indented document that ends with a newline.

    Plain ASCII, so that it survives any locale and lone surrogates. NaN and infinities, which JSON
    doesn't have, are a ValueError: ``Result.document`` has made them null before.
    """
    return json.dumps(result.document(), ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def render(result: Result, page: Page) -> str:  # noqa: ARG001
    """The document, whatever the page: who asks for JSON under --quiet still wants it."""
    return render_json(result)
