"""The set that recall is judged by is sound, and its measures are what they are called."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import recall_quality, recall_set
from benchmarks.recall_quality import alone, sign_test
from benchmarks.recall_set import Fact, Question
from benchmarks.recall_set.ranking import Scores, effective, interval, mixed, power, ranked, scores
from memory_maintenance.config.load import load


def _fact(
    id_: int,
    *,
    importance: int = 7,
    durability: str = "long_term",
    category: str = "observation",
    updated: float = 14.0,
    accessed: float | None = None,
    due: float | None = None,
) -> Fact:
    return Fact(
        id_, "Ana", "note", "said", durability, category, importance, updated, accessed, due
    )


def test_the_set_is_as_large_as_it_is_said_to_be() -> None:
    kinds = Counter(question.kind for question in recall_set.questions())
    assert len(recall_set.facts()) >= 220
    assert sum(kinds.values()) - kinds["unanswerable"] >= 60
    assert kinds["exact-old"] >= 10


def test_ids_texts_and_questions_occur_once() -> None:
    facts, questions = recall_set.facts(), recall_set.questions()
    assert len({fact.id for fact in facts}) == len(facts)
    assert len({fact.text for fact in facts}) == len(facts)
    assert len({question.text for question in questions}) == len(questions)


def test_facts_are_such_as_the_database_takes() -> None:
    for fact in recall_set.facts():
        assert fact.durability in {"permanent", "long_term", "short_term", "ephemeral"}, fact
        assert 1 <= fact.importance <= 10, fact
        assert fact.category != "mood" or fact.durability in {"ephemeral", "short_term"}, fact
        assert (fact.due is not None) == (fact.category == "obligation"), fact
        assert fact.accessed is None or 0 <= fact.accessed <= fact.updated, fact


def test_every_right_answer_exists_and_only_the_unanswerable_lack_one() -> None:
    known = {fact.id for fact in recall_set.facts()}
    for question in recall_set.questions():
        assert known.issuperset(question.grades), question
        assert set(question.grades.values()) <= {1, 2, 3}, question
        assert bool(question.answers) == (question.kind != "unanswerable"), question


def test_what_is_asked_word_for_word_is_90_days_old_and_of_low_importance() -> None:
    facts = {fact.id: fact for fact in recall_set.facts()}
    for question in recall_set.questions():
        if question.kind in {"exact-old", "paraphrase-old"}:
            for answer in question.answers:
                assert facts[answer].updated == 90.0, question
                assert facts[answer].importance <= 4, question
                assert effective(facts[answer]) <= 3, question


def test_the_vectors_are_those_of_the_texts() -> None:
    texts = [fact.text for fact in recall_set.facts()]
    texts += [question.text for question in recall_set.questions()]
    vectors = recall_set.vectors(texts)
    for vector in vectors:
        assert len(vector) == 384
        assert recall_set.similarity(vector, vector) == pytest.approx(1.0, abs=1e-12)
    assert len(recall_set.VECTORS.read_text().splitlines()) == len(texts)  # none is left over
    assert recall_set.VECTORS.stat().st_size < 500_000


def test_a_changed_text_has_no_vector(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    recall_set.store(["Ana lives in Porto"], [[0.5] * 384], path)
    assert recall_set.vectors(["Ana lives in Porto"], path)[0][0] == pytest.approx(
        384**-0.5, rel=1e-6
    )
    with pytest.raises(LookupError, match="no vector for 1 texts"):
        recall_set.vectors(["Ana lives in Porto", "Ana lives in Lisbon"], path)


def test_effective_importance_is_the_specification_s() -> None:
    assert effective(_fact(1, importance=7, updated=7, accessed=7)) == 3
    assert effective(_fact(1, importance=10, updated=14, accessed=5)) == 4
    assert effective(_fact(1, importance=7, updated=14)) == 2  # never accessed: the same clock
    assert effective(_fact(1, importance=7, updated=90, durability="permanent")) == 7
    assert effective(_fact(1, importance=7, updated=90, category="decision")) == 7
    assert effective(_fact(1, importance=7, updated=90, category="obligation", due=1)) == 7
    assert effective(_fact(1, importance=7, updated=90, category="obligation", due=-1)) == 1


def test_a_mixture_lies_between_similarity_and_the_product() -> None:
    fact = _fact(1, importance=6, durability="permanent")
    assert alone(fact) == 1.0
    assert mixed(0)(fact) == pytest.approx(1.0)
    assert mixed(0.5)(fact) == pytest.approx(0.8)
    assert mixed(1)(fact) == pytest.approx(0.6)
    assert power(2)(fact) == pytest.approx(0.36)
    preference = _fact(2, importance=10, durability="permanent", category="preference")
    assert mixed(0.5, {"preference": 1.1})(preference) == pytest.approx(1.1)


def test_the_gate_leaves_out_what_is_less_similar() -> None:
    weighty, slight = _fact(1, importance=10, durability="permanent"), _fact(2, updated=90)
    similarities = [(weighty, 0.19), (slight, 0.8)]
    assert ranked(similarities, power(1), gate=0.0) == [1, 2]  # 0.19 against 0.08
    assert ranked(similarities, power(1), gate=0.2) == [2]
    assert ranked(similarities, mixed(0.15), gate=0.19) == [2, 1]
    assert ranked([(_fact(4), 0.5), (_fact(3), 0.5)], alone, gate=0.0) == [3, 4]


def test_scores_are_those_worked_out_by_hand() -> None:
    question = Question("important", "?", {1: 3, 2: 2, 3: 1})
    # 3 / log2 2 + 7 / log2 4 = 6.5, of 7 / 1 + 3 / log2 3 + 1 / 2 = 9.392789
    partly = scores(question, [2, 9, 1])
    assert (partly.hit1, partly.hit5) == (0.0, 1.0)
    assert partly.ndcg5 == pytest.approx(0.692020, abs=1e-6)
    assert scores(question, [1, 2, 3, 9, 8]) == Scores(1.0, 1.0, 1.0)
    assert scores(question, [9, 8, 7, 6, 5, 1]) == Scores(0.0, 0.0, 0.0)  # the sixth doesn't count


def test_intervals_and_the_sign_test_know_noise() -> None:
    assert interval([0.25] * 30) == (0.25, 0.25)
    low, high = interval([1.0, -1.0] * 30)
    assert low < 0 < high
    assert sign_test(3, 1) == pytest.approx(0.625)  # 2 * (1 + 4) / 16
    assert sign_test(10, 0) == pytest.approx(2 / 1024)
    assert sign_test(0, 0) == 1.0


def test_the_defaults_that_are_measured_are_those_of_the_configuration() -> None:
    recall = load(environ={"HOME": "/nonexistent"}).settings.recall
    assert (recall.importance_weight, recall.min_similarity, dict(recall.category_weight)) == (
        recall_quality._DEFAULT_WEIGHT,
        recall_quality._DEFAULT_GATE,
        recall_quality._DEFAULT_CATEGORIES,
    )
