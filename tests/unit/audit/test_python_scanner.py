"""What the scanner of Python makes of a file, where the corpus can't show it."""

from __future__ import annotations

import warnings

import pytest

from memory_maintenance.audit.candidate import Candidate, Confidence, Kind
from memory_maintenance.audit.languages.python import scan
from memory_maintenance.audit.languages.python_literals import Field, Run, read_literal
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.model.mapping import TypeMap

TABLES = (TableName("", "entity_facts"), TableName("", "entity_facts_archive"))
SUBJECT = Subject("data_type", TABLES)
NAMED = 'TABLE = "entity_facts"\n'


def scanned(text: str, *, subject: Subject = SUBJECT, derived: str = "") -> list[Candidate]:
    """What a file with that text yields."""
    names = frozenset({derived} - {""})
    return list(scan(Source("facts.py", text, derived=names), subject))


def places(text: str) -> list[tuple[int, int]]:
    """Lines and columns of all that is found."""
    source = Source("facts.py", text)
    return [source.place(candidate.offset) for candidate in scan(source, SUBJECT)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def data_type(:\n", "not Python: invalid syntax, line 1"),
        ("print data_type\n", "not Python"),
        ("x = 1\n\tdata_type\n", "not Python: unexpected indent, line 2"),
        ("data_type = '\0'\n", "null bytes"),
        ("data_type = " + "(" * 300 + ")" * 300, "too many nested parentheses"),
        ("data_type = " + "-" * 50_000 + "1", "nested too deeply"),
        ("data_type" + ".data_type" * 20_000, "nested too deeply"),
    ],
)
def test_what_python_refuses_is_unreadable_and_says_why(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        scanned(text)


def test_a_file_that_names_neither_column_nor_table_is_not_even_parsed() -> None:
    assert scanned("def (:\n") == []


def test_warnings_about_a_file_stay_in_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert places(NAMED + "x = '\\d'; y = row['data_type']; z = 1is 1\n") == [(2, 20)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_hold_however_lines_end(end: str) -> None:
    text = end.join([NAMED.strip(), '"""', "", '"""', "x = row['data_type']", ""])
    (found,) = scanned(text)
    assert text[found.offset :].startswith("data_type']" + end)


def test_places_hold_behind_letters_of_many_bytes_and_a_mark_of_byte_order() -> None:
    text = "\ufeff" + NAMED + "é = '日本', row['data_type'], fact.data_type\n"
    assert places(text) == [(2, 16), (2, 34)]


def test_bytes_of_another_encoding_are_one_character_each() -> None:
    assert places(NAMED + "x = '\udce9\udcff', row['data_type']  # \udce9\n") == [(2, 16)]


def test_a_place_in_an_escaped_text_is_that_in_the_file() -> None:
    text = 'Q = "\\x53ELECT\\n\\tdata_type FROM entity_facts"\n'
    (found,) = scanned(text)
    assert found.offset == text.index("data_type")
    assert found.confidence is Confidence.CERTAIN


@pytest.mark.parametrize(
    ("spelling", "parts"),
    [
        ("'a' \"b\"", [Run("a", 1), Run("b", 5)]),
        (r"'a\n'", [Run("a", 1), Run("\n", 2, fixed=True)]),
        (r"r'a\n'", [Run(r"a\n", 2)]),
        (r"'a\d'", [Run("a", 1), Run(r"\d", 2)]),
        (
            r"'\x41\101A\N{DIGIT ONE}'",
            [
                Run("A", 1, fixed=True),
                Run("A", 5, fixed=True),
                Run("A", 9),
                Run("1", 10, fixed=True),
            ],
        ),
        ("'a\\\nb'", [Run("a", 1), Run("b", 4)]),
        ("f'{{a}}'", [Run("{", 2, fixed=True), Run("a", 4), Run("}", 5, fixed=True)]),
        ("f'{x}'", [Field(2, 3, 3, 4)]),
        ("f'{x!r:>{w}}'", [Field(2, 10, 3, 4, (Field(8, 3, 9, 10),))]),
        ("f'{x = }'", [Field(2, 6, 3, 5)]),
        ("f'{x != y}'", [Field(2, 8, 3, 9)]),
        ("f'{d[\"}\"]}'", [Field(2, 8, 3, 9)]),
        ("f'{(lambda: 1)()}'", [Field(2, 15, 3, 16)]),
        ("b'''a'b'''", [Run("a'b", 4)]),
    ],
)
def test_each_character_of_a_literal_knows_its_place(
    spelling: str, parts: list[Run | Field]
) -> None:
    assert read_literal(spelling, 0, len(spelling)).parts == parts


def test_comments_between_literals_are_told_from_signs_in_them() -> None:
    spelling = "'# no'  # yes\n'b'"
    assert read_literal(spelling, 0, len(spelling)).comments == [(8, 13)]


def test_a_text_that_grows_by_itself_comes_to_an_end() -> None:
    doubled = "".join(f"a{i + 1} = a{i} + a{i}\n" for i in range(40))
    text = "a0 = ' SELECT data_type FROM entity_facts '\n" + doubled
    assert [found.confidence for found in scanned(text)] == [Confidence.CERTAIN]


def test_names_that_stand_for_each_other_come_to_an_end() -> None:
    text = NAMED + (
        "class A:\n"
        "    def f(self, cur):\n"
        "        self.q = self.p + 'x'\n"
        "        self.p = self.q + 'y'\n"
        "        cur.execute(f'SELECT data_type FROM {self.q}')\n"
    )
    assert [found.offset for found in scanned(text)] == [text.index("data_type")]


def test_what_is_made_from_the_table_elsewhere_counts_as_it() -> None:
    text = "class Shown(Base):\n    __tablename__ = 'shown'\n    data_type = Column(String)\n"
    (ours,) = scanned(text, derived="shown")
    (other,) = scanned(text)
    assert (ours.confidence, ours.kind) == (Confidence.LIKELY, Kind.DEFINITION)
    assert (other.confidence, other.because) == (Confidence.UNRELATED, "a column of shown")


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("row['data_type'] = 'preference'", "durability = 'long_term', category = 'preference'"),
        ("store(data_type='preference')", "durability = 'long_term', category = 'preference'"),
        (
            "x = row.get('data_type') == 'preference'",
            "durability = 'long_term' AND category = 'preference'",
        ),
        ("x = fact.data_type", ""),
        ("x = fact.data_type == kind", ""),
    ],
)
def test_a_literal_beside_the_column_makes_the_suggestion(line: str, suggestion: str) -> None:
    rows: dict[str | None, tuple[str, str]] = {
        "preference": ("long_term", "preference"),
        "observation": ("long_term", "observation"),
    }
    subject = Subject("data_type", TABLES, TypeMap(rows))
    (found,) = scanned(NAMED + line + "\n", subject=subject)
    assert found.suggestion == suggestion


def test_the_column_may_be_called_otherwise() -> None:
    subject = Subject("fact_kind", (TableName("memory", "notes"),))
    text = (
        "cur.execute('SELECT fact_kind, data_type FROM memory.notes')\n"
        "cur.execute('SELECT fact_kind FROM theirs.notes')\n"
    )
    found = scanned(text, subject=subject)
    assert [c.confidence for c in found] == [Confidence.CERTAIN, Confidence.UNRELATED]
