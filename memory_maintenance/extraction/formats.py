"""The contract bare, as a program or an endpoint takes it: no envelope around it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory_maintenance.extraction.prompt import PromptResult
from memory_maintenance.model.result import Result


def render_json_schema(result: Result, page: object) -> str:  # noqa: ARG001 - what every renderer takes
    """The schema of an answer, an indented document of plain ASCII."""
    assert isinstance(result, PromptResult)
    return _document(result.schema)


def render_openai_tool(result: Result, page: object) -> str:  # noqa: ARG001
    """The definition of the function that a model calls, likewise."""
    assert isinstance(result, PromptResult)
    return _document(result.tool)


def _document(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2) + "\n"
