"""What is taken from a model's answer, and what isn't (spec 4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_maintenance.extraction.scoring_answer import REASONS, Reading, Tokens, read


def answer(content: Any, *, ended: str = "stop", **message: Any) -> bytes:
    """A chat completion; content that isn't text is written as JSON."""
    text = content if isinstance(content, str | None) else json.dumps(content)
    choice = {"message": {"content": text, **message}, "finish_reason": ended}
    return json.dumps({"choices": [choice]}).encode()


def entries(*scores: tuple[Any, Any]) -> dict[str, Any]:
    return {"scores": [{"id": place, "importance": score} for place, score in scores]}


def test_each_fact_gets_the_score_of_its_id_in_whatever_order() -> None:
    assert read(answer(entries((3, 10), (1, 1), (2, 7))), 3) == Reading({3: 10, 1: 1, 2: 7}, {})


def test_seven_point_zero_is_seven() -> None:
    assert read(answer(entries((1, 7.0), (2.0, 3))), 2).scores == {1: 7, 2: 3}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (0, "out-of-range"),
        (11, "out-of-range"),
        (-3, "out-of-range"),
        (10**30, "out-of-range"),
        (1e300, "out-of-range"),
        (7.5, "not-an-integer"),
        ("7", "not-an-integer"),
        (True, "not-an-integer"),
        (None, "not-an-integer"),
        ([7], "not-an-integer"),
    ],
)
def test_a_score_that_is_none_leaves_its_own_fact_alone(said: Any, reason: str) -> None:
    assert read(answer(entries((1, 4), (2, said), (3, 6))), 3) == Reading({1: 4, 3: 6}, {2: reason})


def test_a_fact_left_out_is_missing_and_the_others_count() -> None:
    assert read(answer(entries((1, 4), (3, 6))), 3) == Reading({1: 4, 3: 6}, {2: "missing"})


@pytest.mark.parametrize("scores", [[(1, 4), (2, 5)], [(1, 4)]])
def test_an_answer_that_ends_early_may_have_counted_wrongly(scores: list[tuple[int, int]]) -> None:
    """Two facts taken for one give one entry less, and all after them the score of another."""
    assert read(answer(entries(*scores)), 3).unscored == dict.fromkeys((1, 2, 3), "wrong-count")


@pytest.mark.parametrize("scores", [[(0, 4), (1, 5), (2, 6)], [(1, 4), (2, 5), (3, 6), (4, 7)]])
def test_an_unknown_id_makes_all_ids_doubtful(scores: list[tuple[int, int]]) -> None:
    assert read(answer(entries(*scores)), 3) == Reading({}, dict.fromkeys((1, 2, 3), "unknown-id"))


def test_a_fact_scored_twice_differently_is_not_scored() -> None:
    said = entries((1, 4), (2, 5), (2, 6), (3, 7))
    assert read(answer(said), 3) == Reading({1: 4, 3: 7}, {2: "duplicated"})


def test_a_fact_scored_twice_alike_is_scored() -> None:
    assert read(answer(entries((1, 4), (2, 5), (2, 5))), 2).scores == {1: 4, 2: 5}


def test_an_id_that_stands_twice_in_one_entry_is_no_id() -> None:
    said = '{"scores":[{"id":1,"id":2,"importance":9},{"id":2,"importance":3}]}'
    assert read(answer(said), 2).unscored == {1: "malformed", 2: "malformed"}


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```\n", "\n```json\r\n{}\r\n```"])
def test_a_fence_around_the_whole_is_no_prose(fence: str) -> None:
    said = fence.replace("{}", json.dumps(entries((1, 4))))
    assert read(answer(said), 1).scores == {1: 4}


@pytest.mark.parametrize("thoughts", ["<think>\n\n</think>\n\n", "<think>{}: 9 or 10?</think>"])
def test_thoughts_before_the_answer_are_no_prose(thoughts: str) -> None:
    said = json.dumps(entries((1, 4)))
    assert read(answer(f"{thoughts}{said}"), 1).scores == {1: 4}
    assert read(answer(f"{thoughts}```json\n{said}\n```"), 1).scores == {1: 4}
    assert set(read(answer(f"<think>so {said}"), 1).unscored.values()) == {"not-json"}
    assert set(read(answer(f"{said}{thoughts}"), 1).unscored.values()) == {"not-json"}


def test_an_error_may_be_a_text() -> None:
    assert read(b'{"error": "model is loading"}', 1).status == 400


def test_members_that_nobody_asked_for_are_passed_over() -> None:
    said = {"scores": [{"id": 1, "importance": 4, "reason": "small talk"}], "model": "x"}
    assert read(answer(said), 1).scores == {1: 4}


GOOD = json.dumps(entries((1, 4), (2, 5)))


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (answer(GOOD[:-20], ended="length"), "cut-off"),
        (answer(None, ended="length"), "cut-off"),
        (answer(GOOD[:-20]), "not-json"),
        (answer(f"Here are the scores: {GOOD}"), "not-json"),
        (answer(f"{GOOD} I hope this helps!"), "not-json"),
        (answer(f"Sure:\n```json\n{GOOD}\n```"), "not-json"),
        (answer(GOOD.replace("4", "NaN")), "not-json"),
        (answer("[" * 100_000), "not-json"),
        (answer(GOOD.replace("4", "4" * 5000)), "not-json"),
        (b"<html>busy</html>", "not-json"),
        (b"\xff\xfe", "not-json"),
        (answer(None, refusal="I can't help with that"), "refusal"),
        (answer("", ended="content_filter"), "refusal"),
        (answer(None), "empty"),
        (answer(" \n"), "empty"),
        (b'{"choices":[]}', "empty"),
        (b"{}", "empty"),
        (b'{"choices":[7]}', "malformed"),
        (b'{"choices":[{"message":null}]}', "malformed"),
        (b"[]", "malformed"),
        (answer([1, 2]), "malformed"),
        (answer({"1": 4, "2": 5}), "malformed"),
        (answer({"scores": {"1": 4}}), "malformed"),
        (answer({"scores": [4, 5]}), "malformed"),
        (answer({"scores": [{"importance": 4}, {"id": 2, "importance": 5}]}), "malformed"),
        (answer(entries(("1", 4), (2, 5))), "malformed"),
        (answer(entries((True, 4), (2, 5))), "malformed"),
        (answer({"scores": []}), "missing"),
    ],
)
def test_an_answer_that_is_none_scores_nothing(document: bytes, reason: str) -> None:
    reading = read(document, 2)
    assert (reading.scores, reading.unscored) == ({}, {1: reason, 2: reason})
    assert reason in REASONS


def test_an_entry_without_a_score_is_malformed_alone() -> None:
    said = {"scores": [{"id": 1}, {"id": 2, "importance": 5}]}
    assert read(answer(said), 2) == Reading({2: 5}, {1: "malformed"})


def test_an_answer_that_is_whole_counts_whatever_the_endpoint_says_of_its_end() -> None:
    assert read(answer(GOOD, ended="length"), 2).scores == {1: 4, 2: 5}


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3}, Tokens(7, 3)),
        ({"prompt_tokens": 7}, Tokens(7, 0)),
        ({"prompt_tokens": "7", "completion_tokens": -1}, None),
        (None, None),
        ([], None),
    ],
)
def test_tokens_are_what_the_endpoint_says_they_are(usage: Any, tokens: Tokens | None) -> None:
    assert read(json.dumps({"choices": [], "usage": usage}).encode(), 1).tokens == tokens


@pytest.mark.parametrize(("code", "status"), [(429, 429), (502, 502), ("x", 400), (7, 400)])
def test_an_error_in_the_place_of_an_answer_is_that_error(code: Any, status: int) -> None:
    said = json.dumps({"error": {"code": code, "message": "busy"}}).encode()
    assert read(said, 2) == Reading(status=status)
