"""Any text is read without an error, whole answers exactly, and cut-off ones never beyond what they say."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memory_maintenance.config.load import load
from memory_maintenance.errors import UsageError
from memory_maintenance.extraction.answer import LONGEST_ANSWER, parse_answer, restored, storable
from memory_maintenance.extraction.answer_schema import answer_schema
from memory_maintenance.extraction.contract import categories_of
from memory_maintenance.extraction.repair import LONGEST
from memory_maintenance.model.extracted import ExtractedFact, Item
from memory_maintenance.model.instants import iso

SETTINGS: Final = load(environ={}).settings
AS_OF: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
SCHEMA: Final = Draft202012Validator(answer_schema(categories_of(SETTINGS.category)))
TEA: Final = {
    "entity": {"name": "Ana", "type": "person"},
    "key": "drink",
    "value": "tea",
    "durability": "long_term",
    "category": "preference",
    "importance": 5,
}


def parse(text: str | bytes) -> list[Item]:
    return parse_answer(text, settings=SETTINGS, as_of=AS_OF)


def facts(text: str | bytes) -> list[ExtractedFact]:
    return [item.fact for item in parse(text) if item.fact is not None]


# Quotes, brackets, commas and words of the contract on purpose: what a careless reader takes for structure.
hard = st.sampled_from(
    [
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "\n",
        "//",
        "```",
        '"key":',
        "'key':",
        '{"facts":',
    ]
)
printable = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cf", "Co", "Cn", "Zs", "Zl", "Zp")), min_size=1
)
texts = (
    st.lists(hard | printable, min_size=1, max_size=6)
    .map("".join)
    .filter(lambda text: bool(text.strip()) and text == text.strip())
)
names = texts.filter(lambda text: len(text) <= 255)
words = st.text("abcdefgh_", min_size=1, max_size=50)
instants = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2026, 5, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
decisions = st.fixed_dictionaries(
    {
        "decided": texts,
        "alternatives": st.lists(texts, max_size=3),
        "reasoning": texts,
        "decided_by": texts,
        "decided_at": instants.map(iso),
    }
)


@st.composite
def valid_facts(draw: st.DrawFn) -> dict[str, Any]:
    """A fact that the schema accepts."""
    fact: dict[str, Any] = {
        "entity": {"name": draw(names), "type": draw(words)},
        "key": draw(names),
        "value": draw(texts),
        "durability": draw(st.sampled_from(["permanent", "long_term", "short_term", "ephemeral"])),
        "category": draw(st.sampled_from(["mood", "decision", "obligation"]) | words),
        "importance": draw(st.integers(1, 10)),
    }
    if draw(st.booleans()):
        fact["confidence"] = draw(st.floats(0, 1))
    if fact["category"] == "mood":
        fact["durability"] = draw(st.sampled_from(["short_term", "ephemeral"]))
    if fact["category"] == "obligation":
        fact["deadline"] = draw(instants.map(iso) | st.none())
    if fact["category"] == "decision":
        fact["decision"] = draw(decisions)
    return fact


documents = st.lists(valid_facts(), max_size=4).map(lambda found: {"facts": found})
layouts = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


def expected(fact: dict[str, Any]) -> ExtractedFact:
    """What the contract says that a fact means, without the parser's help."""
    deadline = fact.get("deadline")
    return ExtractedFact(
        fact["entity"]["name"],
        fact["entity"]["type"],
        fact["key"],
        fact["value"],
        fact["durability"],
        fact["category"],
        fact["importance"],
        fact.get("confidence"),
        None if deadline is None else datetime.fromisoformat(deadline),
        fact.get("decision"),
    )


@settings(max_examples=80, deadline=None)
@given(documents, layouts)
def test_a_valid_answer_is_read_exactly(document: dict[str, Any], layout: dict[str, Any]) -> None:
    SCHEMA.validate(document)
    items = parse(json.dumps(document, **layout))
    assert [item.fact for item in items] == [expected(fact) for fact in document["facts"]]
    assert [item.adjustments for item in items] == [()] * len(items)


@settings(max_examples=100, deadline=None)
@given(documents, layouts, st.data())
def test_what_is_cut_off_is_never_stored_shortened(
    document: dict[str, Any], layout: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(document, **layout)
    cut = text[: data.draw(st.integers(0, len(text)))]
    whole = [expected(fact) for fact in document["facts"]]
    found = facts(cut)
    assert found == whole[: len(found)]
    # What is complete is taken: all whose closing brace is still there.
    decoder, complete = json.JSONDecoder(), 0
    at = text.find("[") + 1
    for _ in whole:
        at = text.find("{", at)
        _, at = decoder.raw_decode(text, at)
        complete += at <= len(cut)
    assert len(found) == complete


plain = st.fixed_dictionaries(
    {
        "entity": st.fixed_dictionaries({"name": words, "type": words}),
        "key": words,
        "value": st.lists(words, min_size=1, max_size=3).map(" ".join),
        "durability": st.just("long_term"),
        "category": st.just("routine"),
        "importance": st.integers(1, 10),
    }
)


@settings(max_examples=150, deadline=None)
@given(st.lists(plain, min_size=1, max_size=3), st.data())
def test_a_lost_mark_of_punctuation_changes_no_fact_that_is_stored(
    said: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = json.dumps({"facts": said})
    marks = [place for place, mark in enumerate(text) if mark in '"{}[],:']
    lost = data.draw(st.sampled_from(marks))
    found = facts(text[:lost] + text[lost + 1 :])
    assert all(fact in [expected(one) for one in said] for fact in found)
    assert len(found) >= len(said) - 2


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=300)
    | st.lists(
        hard | st.sampled_from([json.dumps(TEA), '"value":"', "null", "1e9"]), max_size=30
    ).map("".join)
)
def test_any_text_is_read(text: str) -> None:
    items = parse(text)
    assert all((item.fact is None) == (item.because is not None) for item in items)
    for item in items:
        item.raw.encode()  # storable
        assert "\0" not in item.raw


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read(answer: bytes) -> None:
    for item in parse(answer):
        item.raw.encode()


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from('"\\\0\ud83d')))
def test_what_is_said_can_be_had_back_from_what_is_stored(text: str) -> None:
    stored = storable(text)
    stored.encode()
    assert "\0" not in stored
    # A pair written as two halves is the character.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    back = restored(stored)
    assert back.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") == whole


def test_a_value_of_ten_megabytes_is_data() -> None:
    value = "x" * 10_000_000
    (fact,) = facts(json.dumps({"facts": [{**TEA, "value": value}]}))
    assert fact.value == value
    (item,) = parse(json.dumps({"facts": [{**TEA, "value": value}]})[:-100])
    assert item.because is not None
    assert item.because.startswith("it is cut off")


def test_damage_to_a_very_long_fact_is_not_mended() -> None:
    (item,) = parse(str({**TEA, "value": "x" * LONGEST}))
    assert item.because == f"it is damaged JSON of more than {LONGEST:,} characters"


def test_an_answer_has_its_bounds() -> None:
    with pytest.raises(UsageError, match="more than 64,000,000 bytes"):
        parse(b" " * (LONGEST_ANSWER + 1))
    with pytest.raises(UsageError, match="more than 10,000 facts"):
        parse('{"facts":[' + "1," * 10_001)
    assert len(parse('{"facts":[' + "1," * 10_000)) == 10_000


@pytest.mark.parametrize("text", ["[", "{", '{"', "[{", '{"key":[', '{"facts":{', '{"facts":['])
def test_brackets_without_end_are_refused_in_time(text: str) -> None:
    items = parse(text * 1000)
    assert items
    assert all(item.fact is None for item in items)


@pytest.mark.parametrize("text", ["[", "{", '{"a":', '{"content":['])
def test_a_megabyte_of_brackets_is_refused_whole(text: str) -> None:
    # Took minutes, as long as each bracket was tried as a beginning.
    (item,) = parse(text * (1_000_000 // len(text)))
    assert item.because == "no fact can be found in the answer"


def test_an_element_nested_beyond_any_reader_is_kept() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    items = parse(f'{{"facts": [{json.dumps(TEA)}, {deep}, {json.dumps(TEA)}]}}')
    assert [item.fact is None for item in items] == [False, True, False]
    assert items[1].raw == deep
    assert items[1].because == "it is damaged JSON, and nested too deeply"


def test_a_deadline_is_read_in_the_configured_zone() -> None:
    berlin = load(environ={}, overrides={"timezone": "Europe/Berlin"}).settings
    fact = {**TEA, "category": "obligation", "deadline": "2026-05-16"}
    (item,) = parse_answer(json.dumps(fact), settings=berlin, as_of=AS_OF)
    assert item.fact is not None
    # The day ends at midnight there, two hours before that of UTC.
    assert item.fact.deadline == datetime(2026, 5, 16, 22, tzinfo=UTC)


def test_a_category_is_written_as_the_configuration_has_it() -> None:
    own = load(environ={}, overrides={"category.Projects.half_life": "90d"}).settings
    (item,) = parse_answer(json.dumps({**TEA, "category": "projects"}), settings=own, as_of=AS_OF)
    assert item.fact is not None
    assert item.fact.category == "Projects"


def test_tomorrow_counts_from_when_it_was_said() -> None:
    fact = {**TEA, "category": "obligation", "deadline": "tomorrow"}
    (item,) = parse(json.dumps(fact))
    assert item.fact is not None
    assert item.fact.deadline == datetime(2026, 5, 3, tzinfo=UTC)
    assert AS_OF + timedelta(days=1) < datetime(2026, 5, 3, tzinfo=UTC)
