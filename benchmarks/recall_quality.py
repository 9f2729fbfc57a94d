"""How well recall's ranking answers questions with known right answers, by real embeddings.

recall_set holds facts, questions and the vectors of all-MiniLM-L6-v2. First in Python: similarity alone, pure
products, mixtures, powers and gates, kind by kind, with intervals, and with the weight chosen on one half of
the questions and tried on the other. Then the same facts in PostgreSQL, ranked by memory_maintenance.recall:
its rankings must be those of the Python reference.
"""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import psycopg
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks import recall_set
from benchmarks.measuring import serving
from benchmarks.recall_set import Fact, Question, Vector, database
from benchmarks.recall_set.ranking import (
    Scores,
    Weigh,
    interval,
    mixed,
    power,
    ranked,
    scores,
)

_WEIGHTS: Final = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0)
_TOLD: Final = ("the defaults", "mixed, weight 0.3", "x effective, gate 0.3")
_LATER: Final = (0.1, 0.15, 0.2, 0.3)
_EXPONENTS: Final = (0.05, 0.1, 0.2, 0.5)
_GATES: Final = (0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_PREFERENCES: Final = (1.0, 1.05, 1.1, 1.2, 1.3)
_DEFAULT_WEIGHT: Final = 0.15
_DEFAULT_GATE: Final = 0.2
_DEFAULT_CATEGORIES: Final[Mapping[str, float]] = {"preference": 1.1}
_SPLITS: Final = 200
_K: Final = 10
_RECALL: Final = """
SELECT id, score FROM memory_maintenance.recall(query_embedding => %s, k => %s, as_of => %s, record => false)
"""
# What is given to the function: weight, gate, weights of categories.
_CONFIGURED: Final[Mapping[str, tuple[float, float, Mapping[str, float]]]] = {
    "similarity alone": (0.0, 0.0, {"preference": 1.0}),
    "the defaults": (_DEFAULT_WEIGHT, _DEFAULT_GATE, _DEFAULT_CATEGORIES),
    "the product": (1.0, _DEFAULT_GATE, {"preference": 1.0}),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its vector, and the similarity of each fact to it."""

    question: Question
    vector: Vector
    likeness: Sequence[tuple[Fact, float]]

    def scores(self, weigh: Weigh, gate: float) -> Scores:
        """Those of a ranking."""
        return scores(self.question, ranked(self.likeness, weigh, gate=gate))

    def aged(self, days: float) -> Asked:
        """The same, every fact older."""
        return replace(
            self, likeness=[(fact.aged(days), likeness) for fact, likeness in self.likeness]
        )


def asked() -> list[Asked]:
    """The whole set."""
    facts, questions = recall_set.facts(), recall_set.questions()
    of_facts = recall_set.vectors([fact.text for fact in facts])
    of_questions = recall_set.vectors([question.text for question in questions])
    return [
        Asked(
            question,
            v,
            [(f, recall_set.similarity(v, w)) for f, w in zip(facts, of_facts, strict=True)],
        )
        for question, v in zip(questions, of_questions, strict=True)
    ]


def alone(fact: Fact) -> float:  # noqa: ARG001 - similarity alone asks nothing of the fact
    """The weight of every fact where similarity alone counts."""
    return 1.0


def raw(fact: Fact) -> float:
    """Importance as it was given, of ten."""
    return fact.importance / 10


def rankings() -> Mapping[str, tuple[Weigh, float]]:
    """Every ranking that is compared, by name: what it weighs by, and its gate."""
    products = {
        f"{name}, gate {gate:g}": (weigh, gate)
        for name, weigh in (("x importance", raw), ("x effective", power(1)))
        for gate in (0.0, 0.3, 0.4)
    }
    return {
        "similarity alone": (alone, 0.0),
        **products,
        "the defaults": (mixed(_DEFAULT_WEIGHT, _DEFAULT_CATEGORIES), _DEFAULT_GATE),
        **{f"mixed, weight {weight:g}": (mixed(weight), 0.0) for weight in _WEIGHTS[1:-1]},
        **{f"effective ** {exponent:g}": (power(exponent), 0.0) for exponent in _EXPONENTS},
    }


def run(*, rows: int, repeat: int) -> None:  # noqa: ARG001 - the set is what it is
    """Prints the tables."""
    console = Console(width=150, highlight=False)
    everything = asked()
    answerable = [one for one in everything if one.question.answers]
    console.print(f"{len(recall_set.facts())} facts, {len(answerable)} questions with an answer")
    console.print(_overall(answerable), _by_kind(answerable), _gains(answerable))
    console.print(_preferences(answerable), _later(answerable))
    console.print(_gates(everything), "\n".join(_halves(answerable)))
    console.print(_in_database(everything))


def _overall(questions: Sequence[Asked]) -> Table:
    table = _table(
        "All questions", "hit@1", "hit@5", "nDCG@5", "gain", "95 %", "better", "worse", "sign test"
    )
    baseline = [one.scores(alone, 0.0).ndcg5 for one in questions]
    for name, (weigh, gate) in rankings().items():
        found = [one.scores(weigh, gate) for one in questions]
        gains = [score.ndcg5 - before for score, before in zip(found, baseline, strict=True)]
        low, high = interval(gains)
        better, worse = sum(gain > 1e-9 for gain in gains), sum(gain < -1e-9 for gain in gains)
        table.add_row(
            name,
            *_means(found),
            f"{fmean(gains):+.3f}",
            f"{low:+.3f} to {high:+.3f}",
            *(str(better), str(worse), f"{sign_test(better, worse):.3f}"),
        )
    return table


def _by_kind(questions: Sequence[Asked]) -> Table:
    kinds = {
        kind: list(of_one) for kind, of_one in groupby(questions, key=lambda one: one.question.kind)
    }
    table = _table(
        "nDCG@5 (hit@5, %) by kind", *(f"{kind} ({len(those)})" for kind, those in kinds.items())
    )
    for name, (weigh, gate) in rankings().items():
        cells = []
        for those in kinds.values():
            found = [one.scores(weigh, gate) for one in those]
            cells.append(
                f"{fmean(s.ndcg5 for s in found):.3f} ({100 * fmean(s.hit5 for s in found):.0f})"
            )
        table.add_row(name, *cells)
    return table


def _gains(questions: Sequence[Asked]) -> Table:
    """What is gained over similarity alone, kind by kind, with the interval of 95 %."""
    table = _table("nDCG@5 gained", *_TOLD)
    for kind, of_one in groupby(questions, key=lambda one: one.question.kind):
        those, cells = list(of_one), []
        for name in _TOLD:
            weigh, gate = rankings()[name]
            gains = [one.scores(weigh, gate).ndcg5 - one.scores(alone, 0.0).ndcg5 for one in those]
            low, high = interval(gains)
            cells.append(f"{fmean(gains):+.3f} ({low:+.3f} to {high:+.3f})")
        table.add_row(f"{kind} ({len(those)})", *cells)
    return table


def _preferences(questions: Sequence[Asked]) -> Table:
    """What category_weight does at the default weight, to preferences and to the rest."""
    table = _table("Weight of preferences", "preferences", "all others", "all")
    for factor in _PREFERENCES:
        weigh = mixed(_DEFAULT_WEIGHT, {"preference": factor})
        own = [q for q in questions if q.question.kind == "preference"]
        others = [q for q in questions if q.question.kind != "preference"]
        means = (
            fmean(q.scores(weigh, 0.0).ndcg5 for q in part) for part in (own, others, questions)
        )
        table.add_row(f"{factor:g}", *(f"{mean:.3f}" for mean in means))
    return table


def _later(questions: Sequence[Asked]) -> Table:
    """The same memory looked at days later, nothing confirmed or retrieved meanwhile."""
    table = _table(
        "nDCG@5, days later", "similarity alone", "the defaults", *(f"weight {w:g}" for w in _LATER)
    )
    tried = [(alone, 0.0), rankings()["the defaults"], *((mixed(weight), 0.0) for weight in _LATER)]
    for days in (0, 7, 14, 30):
        older = [one.aged(days) for one in questions]
        means = (fmean(one.scores(weigh, gate).ndcg5 for one in older) for weigh, gate in tried)
        table.add_row(str(days), *(f"{mean:.3f}" for mean in means))
    return table


def _gates(everything: Sequence[Asked]) -> Table:
    """What each gate costs, and what it keeps away, at the default weight."""
    table = _table(
        *("Gate", "answers below it", "hit@5", "nDCG@5", "facts that pass"),
        "in the first five where no fact answers",
    )
    weigh = mixed(_DEFAULT_WEIGHT)
    answerable = [one for one in everything if one.question.answers]
    strangers = [one for one in everything if not one.question.answers]
    total = sum(len(one.question.answers) for one in answerable)
    for gate in _GATES:
        below = sum(
            f.id in q.question.answers and s < gate for q in answerable for f, s in q.likeness
        )
        found = [one.scores(weigh, gate) for one in answerable]
        passing = fmean(sum(s >= gate for _, s in one.likeness) for one in answerable)
        noise = fmean(len(ranked(one.likeness, weigh, gate=gate)) for one in strangers)
        table.add_row(
            f"{gate:g}", f"{below} of {total}", *_means(found)[1:], f"{passing:.0f}", f"{noise:.1f}"
        )
    return table


def _halves(questions: Sequence[Asked]) -> list[str]:
    """The weight chosen on one half of the questions, of each kind alike, and tried on the other."""
    by_weight = {
        weight: [one.scores(mixed(weight), 0.0).ndcg5 for one in questions] for weight in _WEIGHTS
    }
    drawn = random.Random(1)
    chosen: Counter[float] = Counter()
    gains, fixed = [], []
    for _ in range(_SPLITS):
        learn, test = _split(questions, drawn)
        best = max(_WEIGHTS, key=lambda weight: fmean(by_weight[weight][i] for i in learn))
        chosen[best] += 1
        gains.append(_gain_of(by_weight, best, test))
        fixed.append(_gain_of(by_weight, _DEFAULT_WEIGHT, test))
    return [
        f"{_SPLITS} splits in halves; weight chosen on one: "
        + ", ".join(f"{weight:g} {count} times" for weight, count in sorted(chosen.items())),
        f"nDCG@5 gained on the other: {fmean(gains):+.4f}, above 0 in {sum(g > 0 for g in gains)} splits,"
        f" below in {sum(g < 0 for g in gains)}; by {_DEFAULT_WEIGHT:g} always: {fmean(fixed):+.4f}",
    ]


def _in_database(everything: Sequence[Asked]) -> Table:
    """memory_maintenance.recall over the same facts: what it finds, and how often that is the reference's."""
    table = _table(
        "By the SQL function",
        "hit@1",
        "hit@5",
        "nDCG@5",
        "same ten as in Python",
        "same order",
        "largest difference",
    )
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder, serving(Path(folder)) as server:
        database.migrated(server, "legacy", rows=100)
        facts = recall_set.facts()
        vectors = recall_set.vectors([fact.text for fact in facts])
        with server.connect("legacy") as connection:
            as_of = database.fill(connection, facts, vectors)
            for name, (weight, gate, categories) in _CONFIGURED.items():
                overlay = Path(folder) / "overlay.yaml"
                overlay.write_text(_overlay(weight, gate, categories))
                database.publish(server, "legacy", "--config", str(overlay))
                weigh = mixed(weight, categories)
                found = [_asked_of(connection, one, as_of) for one in everything]
                table.add_row(name, *_compared(everything, found, weigh, gate))
    return table


def _compared(
    everything: Sequence[Asked], found: Sequence[Mapping[int, float]], weigh: Weigh, gate: float
) -> list[str]:
    """found: by question, the scores by id, best first."""
    right = [ranked(one.likeness, weigh, gate=gate, depth=_K) for one in everything]
    judged = [
        scores(one.question, list(ids))
        for one, ids in zip(everything, found, strict=True)
        if one.question.answers
    ]
    differences = [
        abs(ids[fact.id] - likeness * weigh(fact))
        for one, ids in zip(everything, found, strict=True)
        for fact, likeness in one.likeness
        if fact.id in ids
    ]
    pairs = list(zip(right, found, strict=True))
    same = sum(set(ours) == set(theirs) for ours, theirs in pairs)
    ordered = sum(ours == list(theirs) for ours, theirs in pairs)
    total = len(everything)
    return [
        *_means(judged),
        f"{same} of {total}",
        f"{ordered} of {total}",
        f"{max(differences):.1e}",
    ]


def _asked_of(connection: psycopg.Connection[Any], one: Asked, as_of: datetime) -> dict[int, float]:
    rows = connection.execute(_RECALL, [database.literal(one.vector), _K, as_of]).fetchall()
    return {int(id_): score for id_, score in rows}


def _overlay(weight: float, gate: float, categories: Mapping[str, float]) -> str:
    settings = {
        "importance_weight": weight,
        "min_similarity": gate,
        "category_weight": dict(categories),
    }
    return json.dumps({"recall": settings})


def _split(questions: Sequence[Asked], drawn: random.Random) -> tuple[list[int], list[int]]:
    halves: tuple[list[int], list[int]] = ([], [])
    places = range(len(questions))
    for _, of_one in groupby(places, key=lambda place: questions[place].question.kind):
        shuffled = list(of_one)
        drawn.shuffle(shuffled)
        middle = len(shuffled) // 2
        halves[0].extend(shuffled[:middle])
        halves[1].extend(shuffled[middle:])
    return halves


def _gain_of(
    by_weight: Mapping[float, Sequence[float]], weight: float, places: Sequence[int]
) -> float:
    return fmean(by_weight[weight][place] - by_weight[0.0][place] for place in places)


def sign_test(better: int, worse: int) -> float:
    """How likely so uneven a split is by chance, both sides together; ties aside."""
    total, fewer = better + worse, min(better, worse)
    tail = sum(math.comb(total, k) for k in range(fewer + 1)) / 2.0**total
    return min(1.0, 2 * tail)


def _means(found: Sequence[Scores]) -> tuple[str, str, str]:
    mean: Callable[[str], float] = lambda name: fmean(getattr(score, name) for score in found)  # noqa: E731
    return f"{100 * mean('hit1'):.0f}", f"{100 * mean('hit5'):.0f}", f"{mean('ndcg5'):.3f}"


def _table(*names: str) -> Table:
    table = Table(names[0], box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in names[1:]:
        table.add_column(name, justify="right")
    return table
