"""Whole answers of models, good, damaged and hostile: what is made of each is what stands beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from memory_maintenance.config.load import load
from memory_maintenance.extraction.answer import parse_answer, restored
from memory_maintenance.model.extracted import Item
from memory_maintenance.model.instants import iso

FOLDER: Final = Path(__file__).parents[2] / "answers"
SETTINGS: Final = load(environ={}).settings
AS_OF: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.txt"))


def told(item: Item) -> dict[str, Any]:
    """An item in the form of the labels; its raw text apart."""
    fact = item.fact
    if fact is None:
        return {"rejected": item.because}
    who = f"{fact.entity_name} ({fact.entity_type})"
    axes = f"{fact.durability} {fact.category} {fact.importance}"
    found: dict[str, Any] = {"stored": f"{who} | {fact.key} | {fact.value} | {axes}"}
    if fact.confidence is not None:
        found["confidence"] = fact.confidence
    if fact.deadline is not None:
        found["deadline"] = iso(fact.deadline)
    if fact.decision is not None:
        found["decision"] = dict(fact.decision)
    if item.adjustments:
        found["adjusted"] = list(item.adjustments)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_each_answer_is_read_as_its_label_says(name: str) -> None:
    answer = (FOLDER / f"{name}.txt").read_bytes()
    label = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    items = parse_answer(answer, settings=SETTINGS, as_of=AS_OF)
    expected = label["items"]
    assert [told(item) for item in items] == [
        {key: value for key, value in entry.items() if key != "raw"} for entry in expected
    ], label["about"]
    assert [item.index for item in items] == list(range(len(items)))
    for item, entry in zip(items, expected, strict=True):
        assert item.raw == entry.get("raw", item.raw)
        assert any(restored(item.raw) in text for text in texts(decoded(answer)))


def decoded(answer: bytes) -> str:
    """The text in which each raw one must be found again."""
    if answer.startswith(b"\xff\xfe"):
        return answer.decode("utf-16")
    text = answer.decode("utf-8", "surrogateescape")
    return str(json.loads(text)) if text.startswith('"') else text


def texts(value: Any) -> Iterator[str]:
    """A text, and those in the JSON that it is."""
    if isinstance(value, str):
        yield value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    for member in value.values() if isinstance(value, dict) else value:
        if isinstance(member, str | dict | list):
            yield from texts(member)


def test_there_are_many_and_each_has_its_label() -> None:
    assert len(NAMES) >= 85
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == NAMES
