"""What JavaScript and TypeScript say of the column, beyond what the corpus has."""

from __future__ import annotations

import pytest
import tree_sitter_javascript
from tree_sitter import Language

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind, best_of
from memory_maintenance.audit.languages import trees
from memory_maintenance.audit.languages.javascript import scan
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject, TableName
from tests.support.corpus import as_far_as_it_goes

SUBJECT = Subject(
    "data_type", (TableName("", "entity_facts"), TableName("", "entity_facts_archive"))
)


def found(text: str, path: str = "a.js", subject: Subject = SUBJECT) -> list[Candidate]:
    source = Source(path, text)
    named = source.names_table(subject)
    return [
        candidate.where(table_named=named)
        for candidate in best_of(as_far_as_it_goes(scan, source, subject))
    ]


def verdicts(text: str, path: str = "a.js", subject: Subject = SUBJECT) -> list[tuple[str, str]]:
    return [(c.confidence.name.lower(), c.kind.value) for c in found(text, path, subject)]


def test_a_file_without_the_words_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "LARGEST_BYTES", 0)
    assert found("const a = `SELECT kind FROM sensors`;") == []


def test_a_file_too_large_to_be_parsed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "LARGEST_BYTES", 10)
    with pytest.raises(Unreadable, match="larger than"):
        list(scan(Source("a.js", "row.data_type = 'x';"), SUBJECT))


def test_a_text_that_takes_too_long_to_be_parsed_says_so() -> None:
    with pytest.raises(Unreadable, match="takes longer than 0 s"):
        trees.Tree("a + b;" * 100_000, _javascript(), longest_s=0.0)


def _javascript() -> Language:
    return Language(tree_sitter_javascript.language())


def test_places_are_characters_whatever_stands_before_them() -> None:
    text = "// äöü€😀\nconst é = 'SELECT data_type FROM entity_facts'; row.data_type = 1;"
    first, second = found(text)
    assert text[first.offset :].startswith("data_type FROM")
    assert text[second.offset :].startswith("data_type = 1")
    assert first.confidence is Confidence.CERTAIN
    assert second.kind is Kind.WRITE


def test_a_name_in_long_text_of_several_bytes_a_character_keeps_its_place() -> None:
    text = "'" + "ü" * 5000 + "'; /* entity_facts */ row.data_type;"
    (place,) = found(text)
    assert text[place.offset : place.offset + 9] == "data_type"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("row.data_type === 'permanent'", ("=", "permanent")),
        ("row.data_type !== 'permanent'", ("<>", "permanent")),
        ("'permanent' == row['data_type']", ("=", "permanent")),
        ("row.data_type == null", ("is null",)),
        ("row.data_type !== undefined", ("is not null",)),
        ("['permanent', 'mood'].includes(row.data_type)", ("in", "permanent", "mood")),
        ("!['permanent', 'mood'].includes(row.data_type)", ("not in", "permanent", "mood")),
        ("new Set(['permanent']).has(row.data_type)", ("in", "permanent")),
        ("switch (row.data_type) { case 'mood': case 'state': }", ("in", "mood", "state")),
        ("row.data_type = 'mood'", ("=", "mood")),
        ("knex('entity_facts').where('data_type', 'mood')", ("=", "mood")),
        ("knex('entity_facts').where('data_type', '<>', 'mood')", ("<>", "mood")),
        ("knex('entity_facts').whereIn('data_type', ['mood'])", ("in", "mood")),
        ("knex('entity_facts').whereNull('data_type')", ("is null",)),
        (
            "prisma.entity_facts.count({ where: { data_type: { notIn: ['mood'] } } })",
            ("not in", "mood"),
        ),
        ("db.from('entity_facts').select().neq('data_type', 'mood')", ("<>", "mood")),
    ],
)
def test_what_a_place_is_compared_with_makes_its_suggestion(
    text: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def suggestion(_: Subject, kind: Kind, comparison: str, values: tuple[str | None, ...]) -> str:
        asked.append((comparison, *(value for value in values if value is not None)))
        return "said"

    module = "memory_maintenance.audit.languages.javascript_comparisons.suggestion_for"
    monkeypatch.setattr(module, suggestion)
    (place,) = found(f"// entity_facts\n{text};")
    assert place.suggestion == "said"
    assert asked == [words]


def test_a_value_that_is_not_written_out_makes_no_suggestion() -> None:
    (place,) = found("/* entity_facts */ row.data_type === kind;")
    assert place.suggestion == ""


def test_an_unrelated_place_says_whose_column_it_is() -> None:
    text = "async () => { const { rows } = await q('SELECT data_type FROM sensors'); rows[0].data_type; };"
    _, attribute = found(text)
    assert attribute.confidence is Confidence.UNRELATED
    assert attribute.because == "a column of sensors"


def test_rows_of_the_catalog_have_its_own_column() -> None:
    text = """async () => {
      const r = await q("SELECT data_type FROM information_schema.columns");
      return r.rows[0].data_type; // of entity_facts
    };"""
    assert [c.because for c in found(text) if c.confidence is Confidence.UNRELATED][-1:] == [
        "information_schema's own column"
    ]


def test_a_comment_is_prose() -> None:
    (place,) = found("// data_type of entity_facts")
    assert (place.confidence, place.context) == (Confidence.POSSIBLE, Context.PROSE)


def test_a_message_is_prose_and_its_holes_are_not() -> None:
    said, held = found("/* entity_facts */ console.log(`data_type: ${row.data_type}`);")
    assert said.context is Context.PROSE
    assert (held.context, held.confidence) == (None, Confidence.LIKELY)


def test_a_constant_that_another_one_is_made_of_is_followed() -> None:
    text = "const S = 'public'; const T = `${S}.entity_facts`; q(`SELECT data_type FROM ${T}`);"
    assert verdicts(text) == [("certain", "read")]


def test_a_name_that_gets_another_value_is_no_constant() -> None:
    text = "let t = 'sensors'; t = pick(); q(`SELECT data_type FROM ${t}`); // entity_facts"
    assert verdicts(text) == [("likely", "read")]


def test_a_constant_that_is_made_of_itself_is_given_up() -> None:
    assert verdicts("const a = `${b}`; const b = `${a}`; q(`SELECT data_type FROM ${a}`);") == [
        ("possible", "read")
    ]


def test_a_table_of_another_schema_is_another_table() -> None:
    subject = Subject("data_type", (TableName("memory", "entity_facts"),))
    text = "knex('audit.entity_facts').select('data_type'); knex('memory.entity_facts').select('data_type');"
    assert verdicts(text, subject=subject) == [("unrelated", "read"), ("certain", "read")]


def test_types_are_read_in_typescript_only() -> None:
    text = "// entity_facts\ninterface Fact { data_type: string }"
    assert verdicts(text, "a.ts")[-1] == ("likely", "definition")


def test_jsx_is_read_in_tsx() -> None:
    text = "// entity_facts\nexport const a = <Row data_type={fact.data_type} />;"
    assert verdicts(text, "a.tsx")[-2:] == [("likely", "write"), ("likely", "read")]


def test_names_that_come_from_another_table_are_not_ours_either() -> None:
    text = """/* entity_facts */ async () => {
      for (const { data_type } of await q('SELECT data_type FROM sensors')) use(data_type);
    };"""
    assert verdicts(text) == [("unrelated", "read")] * 3


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "data_type",
        "`${" * 500 + "data_type",
        "x = 'SELECT data_type FROM '" + " + 'a'" * 3000,
        "new Set(" * 2000 + "'data_type'" + ")" * 2000,
        "f(" + "[" * 3000 + "'data_type'" + "]" * 3000 + ").select()",
        "const x = {" + "a: {" * 2000,
        "\0data_type\0",
        "class { @Column( data_type",
        "`data_type",
        "'data_type\n",
    ],
)
def test_no_text_breaks_the_scanner(text: str) -> None:
    assert all(c.confidence <= Confidence.LIKELY for c in found(text))
