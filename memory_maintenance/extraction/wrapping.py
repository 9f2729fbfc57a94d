"""Answers in the strings of other JSON: the arguments of a function's call, a whole response of an endpoint.

Those of OpenAI (chat completions and responses), Anthropic, Gemini, Ollama and others are known by the names
of their members. What a model thought, and what was said to it, is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from memory_maintenance.extraction.strict_json import Decoded, Members, decode

_SPOKEN: Final = frozenset(
    {"arguments", "completion", "content", "generated_text", "output", "response", "result", "text"}
)
_SPEAKERS: Final = (None, "assistant", "model")
_THOUGHTS: Final = ("reasoning", "summary", "thinking")

_MOST_FAULTS: Final = 100
"""Brackets that begin no JSON, in prose, before the rest is taken to be prose, too."""

_OPENING: Final = re.compile(r"[{\[]")


def texts_within(text: str) -> Iterator[str]:
    """The strings, in the JSON of an answer, that a model may have answered with; in their order."""
    at = faults = 0
    while faults < _MOST_FAULTS and (opening := _OPENING.search(text, at)) is not None:
        found = decode(text, opening.start())
        if isinstance(found, Decoded):
            yield from _spoken(found.value)
            at = found.end
        else:
            at = max(found, opening.end())
            faults += 1


def _spoken(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case list() as elements:
                waiting += reversed(elements)
            case Members() as members if not _is_no_answer(members):
                waiting += [
                    member
                    for name, member in reversed(members.items())
                    if name in _SPOKEN or not isinstance(member, str)
                ]
            case str() as spoken:
                yield spoken


def _is_no_answer(members: Members) -> bool:
    kind = members.get("type")
    is_thought = members.get("thought") is True or str(kind).startswith(_THOUGHTS)
    return is_thought or members.get("role") not in _SPEAKERS
