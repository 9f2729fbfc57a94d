"""YAML: keys and values by the branch they stand in, scripts and statements where they stand exactly."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Candidate, Context, Kind, best_of
from memory_maintenance.audit.languages.yaml import LARGEST, scan
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from tests.support.corpus import as_far_as_it_goes

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))


def candidates(text: str, path: str = "a.yaml") -> list[Candidate]:
    """One a place, in order. All of them stand at the word."""
    found = list(best_of(as_far_as_it_goes(scan, Source(path, text), SUBJECT)))
    for candidate in found:
        if not candidate.whole_row:
            assert text[candidate.offset :].lower().startswith("data_type")
    return found


def confidences(text: str, path: str = "a.yaml") -> list[str]:
    """How sure it is of each place; "near" where the rest of the file decides."""
    return ["near" if c.near else c.confidence.name.lower() for c in candidates(text, path)]


def test_a_key_is_likely_where_its_branch_names_the_table() -> None:
    assert confidences("table: entity_facts\ndata_type: x\n") == ["likely"]


def test_a_key_is_unrelated_where_its_branch_names_another_table() -> None:
    text = "facts: {table: entity_facts}\nmore: {table: sensors, by: data_type}\n"
    assert confidences(text) == ["unrelated"]


def test_without_a_table_the_file_decides() -> None:
    assert confidences("columns: [id, data_type]\n") == ["near"]


def test_a_file_named_like_the_table_is_about_it() -> None:
    assert confidences("one: {data_type: x}\n", "fixtures/entity_facts.yml") == ["likely"]


def test_a_row_of_a_fixture_is_written() -> None:
    (candidate,) = candidates("one: {data_type: x}\n", "fixtures/entity_facts.yml")
    assert candidate.kind is Kind.WRITE


def test_a_merged_mapping_names_the_table_too() -> None:
    text = "base: &base\n  table: sensors\nmine:\n  <<: *base\n  by: data_type\n"
    assert confidences(text) == ["unrelated"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "größe: 😀\n"])
@pytest.mark.parametrize(
    "block",
    [
        "q: |\n  SELECT id,\n\n    data_type\n  FROM entity_facts\n",
        "q: >-\n\n  SELECT id,\n  data_type\n  FROM entity_facts\n",
        "q: |3+\n   SELECT id,\n   data_type FROM entity_facts\n\n",
        'q: "SELECT \\u00e9, \\\n     data_type\n   FROM\\x20entity_facts"\n',
        "q: 'SELECT ''''::text,\n\n  data_type FROM entity_facts'\n",
        "q: SELECT id,\n  data_type\n  FROM entity_facts\n",
        "q: !sql &x |\n  SELECT data_type\n  FROM entity_facts\n",
        "- - q:\n    - |\n      SELECT data_type FROM entity_facts",
    ],
)
def test_a_statement_in_any_scalar_is_found_where_it_stands(
    block: str, before: str, line_end: str
) -> None:
    text = before + block.replace("\n", line_end)
    if before.endswith("\n") and block.startswith("-"):
        text = text[len(before) :]
    (candidate,) = candidates(text)
    assert candidate.offset == text.index("data_type")
    assert candidate.confidence.name == "CERTAIN"


def test_comments_are_prose_also_behind_a_block_header() -> None:
    text = "# data_type\na: | # data_type\n  x # no\nb: '#' # data_type\n"
    assert [c.context for c in candidates(text)] == [Context.PROSE] * 3


def test_a_number_sign_in_a_value_begins_no_comment() -> None:
    assert candidates("a: 'x #data_type'\n") == []


def test_a_script_of_a_workflow_is_read_as_shell() -> None:
    text = "steps:\n  - run: |\n      psql -c 'SELECT data_type FROM entity_facts'\n"
    assert confidences(text) == ["certain"]


def test_a_tag_of_a_template_stands_for_the_name_in_it() -> None:
    assert confidences("q: SELECT data_type FROM {{ ref('entity_facts') }}\n") == ["certain"]
    assert confidences("q: SELECT data_type FROM {{ ref('sensors') }}\n") != ["certain"]


def test_lines_of_a_template_are_as_good_as_absent() -> None:
    text = "{% for t in ts %}\n- table: entity_facts\n  by: data_type\n{% endfor %}\n{{- end }}\n"
    assert confidences(text) == ["likely"]


def test_after_an_error_the_rest_is_read_as_text_and_the_next_document_as_yaml() -> None:
    text = "a: [\n'data_type'\n---\ntable: sensors\nby: data_type\n---\ntable: entity_facts\nby: data_type\n"
    assert confidences(text)[1:] == ["unrelated", "likely"]


def test_aliases_are_never_followed() -> None:
    lines = ["a0: &a0 [data_type, entity_facts]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    assert confidences("\n".join(lines)) == ["likely"]


def test_a_branch_that_holds_itself_does_no_harm() -> None:
    assert confidences("&a [*a, data_type]\n") == ["near"]
    assert confidences("&a\n<<: *a\nby: data_type\n") == ["near"]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "data_type",
        "- " * 20_000 + "data_type",
        "{{ " * 20_000 + "data_type",
        "---\na: [\n" * 2_000 + "b: data_type\n",
        "a: \x00\x01data_type\ud800\n",
        "!!python/object/apply:os.system [data_type]\n",
        "%YAML 9.9\n--- data_type\n",
        "",
        "\ufeff",
        "data_type",
        "? data_type\n? {data_type: x}\n: y\n",
    ],
)
def test_malformed_and_malicious_files_do_no_harm(text: str) -> None:
    candidates(text)


def test_a_large_file_is_read_as_text() -> None:
    text = "a: x\n" * (LARGEST // 5) + "q: 'SELECT data_type FROM entity_facts'\n"
    assert confidences(text) == ["certain"]
