"""The contract as JSON Schema (draft 2020-12), and as the definition of a function that a model calls.

It is stricter than the parser of answers: what a model gets wrong in small ways is adjusted, not refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memory_maintenance.extraction.contract import (
    CONTRACT_VERSION,
    DECISION_MEMBERS,
    DURABILITIES,
    ENTITY_MEMBERS,
    ENTITY_TYPES,
    LONGEST_NAME,
    LONGEST_TYPE,
    MOOD_DURABILITIES,
    MOST_ALTERNATIVES,
    REQUIRED_MEMBERS,
)

TOOL_NAME: Final = "record_facts"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_NAME: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
# Something to be seen, first and last: neither blank nor with blanks around it.
_TRIMMED: Final = {**_NAME, "pattern": r"^\S(?:[\s\S]*\S)?$"}
_SAID: Final = {"type": "string", "pattern": r"\S"}
_OR_NULL: Final = {"type": ["string", "null"]}
_INSTANT: Final = {
    "type": ["string", "null"],
    "format": "date-time",
    # The zone, which format leaves to the reader's good will.
    "pattern": r"T.+(Z|[+-][0-9]{2}:[0-9]{2})$",
}


def answer_schema(categories: Sequence[str]) -> dict[str, Any]:
    """The schema of an answer. categories: those that are suggested; others are valid too."""
    return {
        "$schema": _DIALECT,
        "$id": f"urn:memory-maintenance:extraction-answer:{CONTRACT_VERSION}",
        "title": f"Facts of a conversation, contract version {CONTRACT_VERSION}",
        **_answer(categories),
    }


def tool(categories: Sequence[str]) -> dict[str, Any]:
    """The function that a model calls with its answer, as OpenAI-compatible endpoints take it."""
    return {
        "type": "function",
        "function": {
            "name": TOOL_NAME,
            "description": "Records the facts of a conversation for long-term memory "
            f"(contract version {CONTRACT_VERSION}).",
            "parameters": _answer(categories),
        },
    }


def _answer(categories: Sequence[str]) -> dict[str, Any]:
    return _object({"facts": {"type": "array", "items": _fact(categories)}}, ("facts",))


def _fact(categories: Sequence[str]) -> dict[str, Any]:
    entity = {
        "name": _described(_TRIMMED, "Whom or what the fact is about."),
        "type": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_TYPE,
            "pattern": r"^[^\sA-Z](?:[^A-Z]*[^\sA-Z])?$",
            "description": "What it is; these, or another.",
            "examples": list(ENTITY_TYPES),
        },
    }
    return {
        **_object(
            {
                "entity": _object(entity, ENTITY_MEMBERS),
                "key": _described(_TRIMMED, "A short name, such as drink or birthday."),
                "value": _described(_SAID, "The fact, understood on its own."),
                "durability": {"enum": [term.name for term in DURABILITIES]},
                "category": {
                    **_TRIMMED,
                    "description": "What it is about; these, or another.",
                    "examples": list(categories),
                },
                "importance": {"type": "integer", "minimum": 1, "maximum": 10},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                "deadline": _described(_INSTANT, "ISO 8601 with zone; null if none was said."),
                "decision": _decision(),
            },
            REQUIRED_MEMBERS,
        ),
        "allOf": [
            _where("obligation", {"required": ["deadline"]}),
            _where("decision", {"required": ["decision"]}),
            _where("mood", {"properties": {"durability": {"enum": list(MOOD_DURABILITIES)}}}),
        ],
    }


def _decision() -> dict[str, Any]:
    return _object(
        {
            "decided": _described(_SAID, "What was decided."),
            "alternatives": {
                "type": "array",
                "items": _SAID,
                "maxItems": MOST_ALTERNATIVES,
                "description": "What else there was; [] if nothing.",
            },
            "reasoning": _described(_OR_NULL, "Why; null if that wasn't said."),
            "decided_by": _described(_OR_NULL, "Who; null if that wasn't said."),
            "decided_at": _described(_INSTANT, "When; null if that wasn't said."),
        },
        DECISION_MEMBERS,
    )


def _object(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _described(schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _where(category: str, then: Mapping[str, Any]) -> dict[str, Any]:
    condition = {"properties": {"category": {"const": category}}, "required": ["category"]}
    return {"if": condition, "then": dict(then)}
