"""Files of SQL, as psql would run them."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Confidence, Context, Kind, best_of
from memory_maintenance.audit.languages.sql import scan
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from tests.support.corpus import as_far_as_it_goes

SUBJECT = Subject("data_type", (TableName("", "entity_facts"),))


def found(text: str, derived: frozenset[str] = frozenset()) -> list[tuple[int, str]]:
    """Line and confidence of each place."""
    source = Source("a.sql", text, derived=derived)
    return [
        (source.place(c.offset)[0], c.confidence.name.lower())
        for c in best_of(scan(source, SUBJECT))
    ]


def test_a_script_is_read_statement_by_statement() -> None:
    text = "\\set x 1\nSELECT data_type FROM entity_facts;\nSELECT data_type FROM sensors;\n"
    assert found(text) == [(2, "certain"), (3, "unrelated")]


def test_a_comment_is_prose() -> None:
    (candidate,) = scan(Source("a.sql", "-- data_type\nSELECT 1;\n"), SUBJECT)
    assert (candidate.offset, candidate.context) == (3, Context.PROSE)
    assert candidate.confidence is Confidence.POSSIBLE


def test_an_assignment_writes() -> None:
    (candidate,) = scan(Source("a.sql", "UPDATE entity_facts SET data_type = 'x';"), SUBJECT)
    assert candidate.kind is Kind.WRITE


def test_what_another_file_made_from_the_table_is_known() -> None:
    text = "SELECT data_type FROM typed_facts;\n"
    assert found(text) == [(1, "unrelated")]
    ((_, confidence),) = found(text, frozenset({"typed_facts"}))
    assert confidence in ("likely", "certain", "possible")


@pytest.mark.parametrize(
    "text", ["", "'", "$$ data_type", "\x00 data_type", "/* data_type", "(" * 5000]
)
def test_what_is_no_sql_does_no_harm(text: str) -> None:
    list(as_far_as_it_goes(scan, Source("a.sql", text), SUBJECT))


def test_a_statement_that_is_no_sql_is_told_with_its_line() -> None:
    text = "SELECT 1;\nSELECT data_type FRM entity_facts WHERE;\n"
    with pytest.raises(Unreadable, match="not SQL at line 2") as caught:
        list(scan(Source("a.sql", text), SUBJECT))
    ((start, end),) = caught.value.places
    assert text[start:end] == "SELECT data_type FRM entity_facts WHERE"
