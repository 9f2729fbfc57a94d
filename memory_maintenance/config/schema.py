"""The configuration file as JSON Schema, for editors that check YAML while it is typed (spec 10).

An editor sees a file alone, not what it overlays: so nothing is required in it but in the entries
of a list. What a schema can't say (zones, deadlines of obligations only, ascending tiers), `load`
says.
"""

from __future__ import annotations

from typing import Any, Final

from memory_maintenance.config.models import Settings

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema of memory-maintenance.yaml, draft 2020-12, with a description of every key."""
    schema = Settings.model_json_schema(by_alias=True, mode="validation")
    definitions: dict[str, Any] = schema["$defs"]
    for name, definition in definitions.items():
        if name != "AccessTier":
            definition.pop("required", None)
    schema.pop("required", None)
    for section in schema["properties"].values():
        _allow_empty(section)
    return {
        "$schema": _DIALECT,
        **_tidied(schema),
        "title": "memory-maintenance",
        "description": "Overlays the built-in defaults key by key: it holds only what differs.",
        # A file of comments only, as the shipped one is once every line is commented out.
        "type": ["object", "null"],
    }


def _allow_empty(section: dict[str, Any]) -> None:
    """A section with nothing below it is its defaults; a single value or list can't be empty."""
    if "$ref" in section:
        section["anyOf"] = [{"$ref": section.pop("$ref")}, {"type": "null"}]
    elif section.get("type") == "object":
        section["type"] = ["object", "null"]


def _tidied(node: Any) -> Any:
    """Without the titles that pydantic derives from names, and defaults, which the YAML states."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    # Below "properties" and "$defs" stand names, one of which might be "title" or "default".
    return {
        key: {name: _tidied(item) for name, item in value.items()}
        if key in {"properties", "$defs"}
        else _tidied(value)
        for key, value in node.items()
        if key not in {"title", "default"}
    }
