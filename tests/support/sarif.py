"""What SARIF 2.1.0 asks of the parts of it that we write; nothing else may be there."""

from __future__ import annotations

from typing import Any, Final


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


_TEXT: Final = {"type": "string", "minLength": 1}
_FROM_1: Final = {"type": "integer", "minimum": 1}
_MESSAGE: Final = _object({"text": _TEXT})
_LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}
_URI: Final = {"type": "string", "format": "uri-reference", "pattern": r"^[!-~]+$"}
_REGION: Final = _object(
    {"startLine": _FROM_1}, startColumn=_FROM_1, endColumn=_FROM_1, snippet=_MESSAGE
)
_PHYSICAL: Final = _object(
    {"artifactLocation": _object({"uri": _URI})}, region=_REGION, contextRegion=_REGION
)
_LOCATION: Final = _object(
    {},
    physicalLocation=_PHYSICAL,
    logicalLocations=_list(_object({"fullyQualifiedName": _TEXT, "kind": _TEXT})),
)
_RESULT: Final = _object(
    {
        "ruleId": _TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": {**_list(_LOCATION), "minItems": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": _TEXT},
    },
    # A result that is no failure has no level but "none".
    kind={"enum": ["informational"]},
    suppressions=_list(_object({"kind": {"enum": ["inSource", "external"]}}, justification=_TEXT)),
    properties={"type": "object"},
)
_RULE: Final = _object({"id": _TEXT, "shortDescription": _MESSAGE})
_NOTIFICATION: Final = _object({"message": _MESSAGE}, level=_LEVEL, locations=_list(_LOCATION))

SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        {
            "$schema": _URI,
            "version": {"const": "2.1.0"},
            "runs": {
                **_list(
                    _object(
                        {
                            "tool": _object(
                                {
                                    "driver": _object(
                                        {"name": _TEXT, "version": _TEXT, "rules": _list(_RULE)}
                                    )
                                }
                            ),
                            "invocations": _list(
                                _object(
                                    {"executionSuccessful": {"type": "boolean"}},
                                    toolExecutionNotifications=_list(_NOTIFICATION),
                                )
                            ),
                            "columnKind": {"enum": ["unicodeCodePoints", "utf16CodeUnits"]},
                            "results": _list(_RESULT),
                        }
                    )
                ),
                "minItems": 1,
            },
        }
    ),
}
