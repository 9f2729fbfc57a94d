"""What shell scripts say of the column, beyond what the corpus has."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind, best_of
from memory_maintenance.audit.languages.shell import scan
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from tests.support.corpus import as_far_as_it_goes

SUBJECT = Subject(
    "data_type", (TableName("", "entity_facts"), TableName("", "entity_facts_archive"))
)


def found(text: str) -> list[Candidate]:
    source = Source("a.sh", text)
    named = source.names_table(SUBJECT)
    return [
        candidate.where(table_named=named)
        for candidate in best_of(as_far_as_it_goes(scan, source, SUBJECT))
    ]


def verdicts(text: str) -> list[tuple[str, str]]:
    return [(c.confidence.name.lower(), c.kind.value) for c in found(text)]


def test_a_script_without_the_words_has_nothing() -> None:
    assert found("psql -c 'SELECT kind FROM sensors'") == []


def test_places_are_characters_whatever_stands_before_them() -> None:
    text = "# äöü€😀\npsql -c \"SELECT 'ß', data_type FROM entity_facts\""
    (place,) = found(text)
    assert text[place.offset :] == 'data_type FROM entity_facts"'


@pytest.mark.parametrize(
    "first",
    [
        "\\set x 1",
        "  \\timing on",
        "\\\\echo",
        "",
        "-- a comment",
        "/* a comment */",
        "\\if true",
        "\tSELECT 1;",
    ],
)
def test_a_document_begins_with_its_first_line_whatever_that_is(first: str) -> None:
    text = f"psql <<EOF\n{first}\nSELECT data_type FROM entity_facts;\nEOF\n"
    (place,) = found(text)
    assert place.confidence is Confidence.CERTAIN
    assert text[place.offset :].startswith("data_type FROM")


def test_a_line_that_begins_with_an_escaped_quote_stays_within_its_quotes() -> None:
    assert verdicts('psql -c "SELECT\n\\"data_type\\"\nFROM entity_facts"') == [("certain", "read")]


def test_the_value_of_a_variable_is_the_one_it_had_last() -> None:
    text = """T=sensors
psql -c "SELECT data_type FROM $T"
T=entity_facts
psql -c "SELECT data_type FROM $T"
"""
    assert verdicts(text) == [("unrelated", "read"), ("certain", "read")]


def test_a_local_variable_hides_the_outer_one() -> None:
    text = """T=entity_facts
f() { local T=sensors; psql -c "SELECT data_type FROM $T"; }
psql -c "SELECT data_type FROM $T"
"""
    assert verdicts(text) == [("unrelated", "read"), ("certain", "read")]


def test_a_variable_that_is_unknown_leaves_it_to_the_file() -> None:
    assert verdicts('psql -c "SELECT data_type FROM $T" # entity_facts') == [("likely", "read")]
    assert verdicts('psql -c "SELECT data_type FROM $T"') == [("possible", "read")]


def test_a_statement_that_is_printed_is_one_all_the_same() -> None:
    (place,) = found("echo \"UPDATE entity_facts SET data_type = 'mood';\" > file")
    assert (place.confidence, place.kind, place.context) == (Confidence.CERTAIN, Kind.WRITE, None)


def test_a_message_is_prose() -> None:
    (place,) = found('echo "the data_type of entity_facts: $x"')
    assert (place.confidence, place.context) == (Confidence.POSSIBLE, Context.PROSE)


def test_keys_of_jq_follow_the_variable_they_are_taken_from() -> None:
    text = """# entity_facts
rows=$(psql -c "SELECT data_type FROM sensors")
jq .data_type <<< "$rows"
"""
    assert verdicts(text) == [("unrelated", "read"), ("unrelated", "read")]


def test_a_variable_of_jq_is_a_bare_word() -> None:
    assert verdicts("jq --arg data_type x . # entity_facts") == [("possible", "read")]


def test_a_key_that_is_made_is_written() -> None:
    assert verdicts("jq '{data_type: .kind}' entity_facts.json") == [("likely", "write")]


@pytest.mark.parametrize(
    "command",
    [
        "docker exec -i db psql -U x -c",
        "sudo -u postgres psql -c",
        "kubectl exec db -- /usr/bin/psql --command",
        "PGPASSWORD=x psql -c",
        "run_sql",
    ],
)
def test_it_does_not_matter_how_a_statement_gets_to_psql(command: str) -> None:
    assert verdicts(f"{command} 'SELECT data_type FROM entity_facts'") == [("certain", "read")]


def test_a_script_in_a_script_is_read_by_the_same_rules() -> None:
    text = 'ssh host "psql -c \\"SELECT data_type FROM entity_facts\\""'
    assert verdicts(text) == [("certain", "read")]


def test_variables_of_psql_stand_for_something() -> None:
    text = """psql -v id=1 <<EOF
SELECT data_type FROM entity_facts WHERE id = :id AND key = :'key' -- $x
;
EOF
"""
    assert verdicts(text) == [("certain", "read")]


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 2000 + "data_type",
        '"$(' * 300 + "data_type",
        "A=data_type\n" + 'A="$A$A"\n' * 50 + 'psql -c "SELECT $A"',
        "bash -c \"bash -c 'bash -c data_type",
        'psql -c "SELECT data_type FROM',
        "cat <<EOF\ndata_type",
        "\0data_type\0",
        "psql -c 'psql -c data_type",
        "{ " * 2000 + "data_type",
    ],
)
def test_no_text_breaks_the_scanner(text: str) -> None:
    assert all(c.confidence <= Confidence.LIKELY for c in found(text))
