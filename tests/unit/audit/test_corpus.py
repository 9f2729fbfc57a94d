"""The labelled corpus: each place is what a person who knows the language says it is."""

from __future__ import annotations

import re

import pytest

from tests.support.corpus import FOLDER, SUBJECT, Case, Score, cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_each_place_of_a_case_is_what_its_label_says(case: Case) -> None:
    assert case.verdicts() == case.expect, case.about


def test_the_corpus_is_large_and_each_file_of_it_is_labelled() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/**/*") if path.is_file()}
    assert len(CASES) >= 550
    assert files == {case.file for case in CASES}
    assert len({case.file for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_no_occurrence_is_without_a_label(case: Case) -> None:
    lines = case.path.read_bytes().decode("utf-8-sig", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        words = len(SUBJECT.column_word.findall(line))
        labels = [e for e in case.expect if re.match(rf"{number} (?!whole-row)", e)]
        assert len(labels) >= words, f"{case.file}:{number}"


def test_nothing_certain_or_likely_is_missed_and_next_to_nothing_is_told_wrongly() -> None:
    score = Score()
    for case in CASES:
        score.add(case)
    assert score.recall == 1.0
    assert score.precision >= 0.98
    assert score.grep_precision < score.precision
