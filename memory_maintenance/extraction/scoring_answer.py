"""A model's answer, believed only where it can't be mistaken (spec 4).

Whatever else it holds, its fact stays unscored under a reason of ``REASONS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

REASONS: Final[Mapping[str, str]] = {
    "cut-off": "the answer was cut off",
    "refusal": "the model refused to answer",
    "empty": "the answer is empty",
    "not-json": "the answer is no JSON, or JSON with something around it",
    "malformed": "the answer, or an entry of it, is of another form",
    "unknown-id": "the answer names an id that wasn't asked about, so that none of its ids can be trusted",
    "wrong-count": "the answer doesn't reach the last fact, and may have counted wrongly",
    "missing": "the answer leaves the fact out",
    "duplicated": "the answer scores the fact twice, differently",
    "not-an-integer": "the score is no whole number",
    "out-of-range": "the score is below 1 or above 10",
    "too-large": "the answer is larger than any that could be right",
    "rejected": "the endpoint refused the request",
    "no-answer": "the endpoint didn't answer, as often as it was asked",
    "changed": "the fact was changed, scored or deleted while the model was asked",
}
"""Why a fact stays unscored: the words of the result, and what they mean."""

_THOUGHT: Final = re.compile(r"\A\s*<think>.*?</think>", re.S)
_FENCED: Final = re.compile(r"\A\s*```(?:json)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*\Z", re.S)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the endpoint says an answer took; 0 where it doesn't say."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)


@dataclass(frozen=True, slots=True)
class Reading:
    """What can be taken from an answer: importance by id, and why not, by id, of all others.

    status: what the endpoint meant to answer with, where it wrapped an error into an answer.
    """

    scores: Mapping[int, int] = field(default_factory=dict)
    unscored: Mapping[int, str] = field(default_factory=dict)
    tokens: Tokens | None = None
    status: int | None = None


class _TwiceError(ValueError):
    """A name stands twice in an object: which of the two is meant, nobody knows."""


def nothing(count: int, reason: str, tokens: Tokens | None = None) -> Reading:
    """None of so many facts is scored."""
    return Reading({}, dict.fromkeys(range(1, count + 1), reason), tokens)


def read(answer: bytes, count: int) -> Reading:
    """What a chat completion says of the facts 1 to count; never raises."""
    try:
        document = _parsed(answer.decode("utf-8"))
    except ValueError:
        return nothing(count, "not-json")
    if not isinstance(document, dict):
        return nothing(count, "malformed")
    tokens = _tokens(document.get("usage"))
    error = document.get("error")
    if not document.get("choices") and isinstance(error, dict | str):
        code = error.get("code") if isinstance(error, dict) else None
        status = code if type(code) is int and 400 <= code <= 599 else 400
        return Reading({}, {}, tokens, status)
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return nothing(count, "empty" if choices in ([], None) else "malformed", tokens)
    ended, message = choices[0].get("finish_reason"), choices[0].get("message")
    if not isinstance(message, dict):
        return nothing(count, "malformed", tokens)
    content = message.get("content")
    if message.get("refusal") or ended == "content_filter":
        return nothing(count, "refusal", tokens)
    if content is None or (isinstance(content, str) and not content.strip()):
        return nothing(count, "cut-off" if ended == "length" else "empty", tokens)
    if not isinstance(content, str):
        return nothing(count, "malformed", tokens)
    scores, unscored = _scores(content, count, cut_off=ended == "length")
    return Reading(scores, unscored, tokens)


def _scores(
    content: str, count: int, *, cut_off: bool
) -> tuple[Mapping[int, int], Mapping[int, str]]:
    def none(reason: str) -> tuple[Mapping[int, int], Mapping[int, str]]:
        return {}, nothing(count, reason).unscored

    # Thoughts before, and a fence around the whole, are how many models write JSON, and leave no doubt.
    content = _THOUGHT.sub("", content)
    fenced = _FENCED.match(content)
    try:
        document = _parsed(content if fenced is None else fenced[1])
    except _TwiceError:
        return none("malformed")
    except ValueError:
        return none("cut-off" if cut_off else "not-json")
    if not isinstance(document, dict) or not isinstance(document.get("scores"), list):
        return none("malformed")
    given: dict[int, list[int | str]] = {}
    for entry in document["scores"]:
        place = _integer(entry.get("id")) if isinstance(entry, dict) else None
        if place is None:
            return none("malformed")  # an entry of nobody knows which fact
        if not 1 <= place <= count:
            return none("unknown-id")
        given.setdefault(place, []).append(_importance(entry))
    if count not in given:
        # Two facts taken for one shift all that follow: only the last id shows that none were.
        return none("wrong-count" if given else "missing")
    scores: dict[int, int] = {}
    unscored: dict[int, str] = {}
    for place in range(1, count + 1):
        found = _agreed(given.get(place, []))
        if isinstance(found, int):
            scores[place] = found
        else:
            unscored[place] = found
    return scores, unscored


def _agreed(said: Sequence[int | str]) -> int | str:
    """The one score that was given, or the reason why there is none."""
    if not said:
        return "missing"
    if any(other != said[0] for other in said):
        return "duplicated"
    return said[0]


def _importance(entry: Mapping[str, Any]) -> int | str:
    if "importance" not in entry:
        return "malformed"
    importance = _integer(entry["importance"])
    if importance is None:
        return "not-an-integer"
    return importance if 1 <= importance <= 10 else "out-of-range"


def _integer(value: Any) -> int | None:
    """A whole number. 7.0 is one: JSON has a single type of numbers. true and "7" are none."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def _tokens(usage: Any) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    known = [n if type(n) is int and 0 <= n < 2**53 else None for n in counts]
    return None if known == [None, None] else Tokens(*(n or 0 for n in known))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise _TwiceError
    return document


def _no_number(_text: str) -> None:
    raise ValueError("no JSON number")
