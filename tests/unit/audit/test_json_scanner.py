"""JSON, its variants, and notebooks."""

from __future__ import annotations

import json

import pytest

from memory_maintenance.audit.candidate import Candidate, Context, Kind, best_of
from memory_maintenance.audit.languages.json import LARGEST, scan
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))


def candidates(text: str, path: str = "a.json") -> list[Candidate]:
    """One a place, in order. All of them stand at the word."""
    found = list(best_of(scan(Source(path, text), SUBJECT)))
    for candidate in found:
        if not candidate.whole_row:
            assert text[candidate.offset :].startswith("data_type")
    return found


def confidences(text: str, path: str = "a.json") -> list[str]:
    """How sure it is of each place; "near" where the rest of the file decides."""
    return ["near" if c.near else c.confidence.name.lower() for c in candidates(text, path)]


def test_a_key_is_likely_where_its_branch_names_the_table() -> None:
    text = '{"table": "entity_facts", "rows": [{"data_type": "x"}]}'
    assert confidences(text) == ["likely"]
    assert candidates(text)[0].kind is Kind.WRITE


def test_a_property_of_a_schema_is_a_definition() -> None:
    text = '{"$defs": {"EntityFact": {"properties": {"data_type": {"type": "string"}}}}}'
    (candidate,) = candidates(text)
    assert (candidate.confidence.name, candidate.kind) == ("LIKELY", Kind.DEFINITION)


def test_the_type_of_a_listed_column_is_no_column() -> None:
    text = '{"columns": [{"name": "id", "data_type": "int"}], "table": "entity_facts"}'
    assert confidences(text) == ["unrelated"]


@pytest.mark.parametrize("before", ["", '"é😀": 1, ', '"\\ud83d\\ude00\\u00e9\\/\\\\": 1, '])
def test_escapes_leave_places_exact(before: str) -> None:
    value = r"SELECT\t\"x\", é, \ud83d\ude00\u0027a\u0027,\n\n  data_type FROM entity_facts"
    value = value.replace(r"\ud83d\ude00", r"'\ud83d\ude00' ||")
    text = f'{{{before}"q": "{value}"}}'
    json.loads(text)
    (candidate,) = candidates(text)
    assert (candidate.confidence.name, candidate.offset) == ("CERTAIN", text.index("data_type"))


def test_lines_are_records_of_their_own() -> None:
    text = '{"table": "sensors", "by": "data_type"}\n{"by": "data_type"}\n{"by": "data_type\n'
    assert confidences(text, "a.jsonl")[:2] == ["unrelated", "near"]


def test_values_side_by_side_are_documents_of_their_own() -> None:
    text = '{"table": "sensors", "by": "data_type"}\n{"table": "entity_facts", "by": "data_type"}'
    assert confidences(text) == ["unrelated", "likely"]


def test_comments_are_prose_and_trailing_commas_no_trouble() -> None:
    text = '{/* data_type */ "table": "entity_facts", // data_type\n "by": ["data_type",],}'
    assert [c.context for c in candidates(text)] == [Context.PROSE, Context.PROSE, None]
    assert confidences(text) == ["possible", "possible", "likely"]


def test_the_code_of_a_notebook_is_read_and_its_output_is_prose() -> None:
    cells = [
        {"cell_type": "code", "source": ["q = 'SELECT data_type '\\\n", "  'FROM entity_facts'"]},
        {"cell_type": "code", "source": "%%sql\nSELECT data_type FROM entity_facts"},
        {"cell_type": "code", "outputs": [{"text": "data_type"}], "source": []},
    ]
    text = json.dumps({"cells": cells})
    assert confidences(text, "a.ipynb") == ["certain", "certain", "possible"]
    assert candidates(text, "a.ipynb")[2].context is Context.PROSE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 50_000 + '"data_type"',
        '{"a":' * 20_000 + '"data_type"',
        '{"data_type',
        '{"\\q": "data_type\\',
        '"data_type" data_type',
        "\x00{data_type: \ud800}",
        '{"cells": [{"cell_type": "code", "source": {"data_type": 1}}]}',
        '{"cells": "data_type"}',
    ],
)
@pytest.mark.parametrize("path", ["a.json", "a.jsonl", "a.json5", "a.ipynb"])
def test_malformed_files_do_no_harm(text: str, path: str) -> None:
    candidates(text, path)


def test_a_large_file_is_read_as_text() -> None:
    text = '[\n"x",\n' * (LARGEST // 7) + '"SELECT data_type FROM entity_facts"'
    assert confidences(text) == ["certain"]
