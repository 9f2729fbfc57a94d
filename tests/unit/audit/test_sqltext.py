"""SQL in texts: what each place that has the column's name is about."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.spliced import Spliced, plain
from memory_maintenance.audit.sqltext import Reading, may_be_sql, read_sql, sql_file
from memory_maintenance.audit.subject import Subject, TableName

SUBJECT = Subject("data_type", (TableName("", "entity_facts"), TableName("", "old_facts")))
CERTAIN, LIKELY, POSSIBLE, UNRELATED = (
    Confidence.CERTAIN,
    Confidence.LIKELY,
    Confidence.POSSIBLE,
    Confidence.UNRELATED,
)


def read(text: str) -> Reading:
    """What a text says that stands in a file as it is."""
    return read_sql(plain(text), SUBJECT)


def names(text: str) -> list[tuple[Confidence, Kind]]:
    """Confidence and kind of each place with the name, in order."""
    return [(c.confidence, c.kind) for c in read(text).candidates if not c.whole_row]


def places(text: str, found: tuple[Candidate, ...]) -> list[str]:
    """The word at each place."""
    return [text[c.offset : c.offset + len("data_type")] for c in found]


def test_each_candidate_is_at_the_name_itself_also_after_an_alias_a_quote_and_beyond_ascii() -> (
    None
):
    text = "SELECT 'größer', f.data_type, f.\"data_type\" FROM entity_facts AS f"
    found = read(text).candidates
    assert places(text, found) == ["data_type", "data_type"]
    assert [text[c.offset - 1] for c in found] == [".", '"']


def test_of_two_joined_tables_each_has_its_own_column() -> None:
    text = "SELECT s.data_type, f.data_type FROM entity_facts f JOIN sensors s USING (id)"
    assert names(text) == [(UNRELATED, Kind.READ), (CERTAIN, Kind.READ)]


def test_a_column_that_is_assigned_is_written_and_the_one_it_comes_from_read() -> None:
    text = (
        "INSERT INTO entity_facts (id, data_type) VALUES (1, 'a')"
        " ON CONFLICT (id) DO UPDATE SET data_type = EXCLUDED.data_type RETURNING data_type"
    )
    assert [kind for _, kind in names(text)] == [Kind.WRITE, Kind.WRITE, Kind.READ, Kind.READ]
    assert {confidence for confidence, _ in names(text)} == {CERTAIN}


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE entity_facts (data_type text)",
        "ALTER TABLE entity_facts DROP COLUMN data_type",
        "CREATE INDEX ON entity_facts (data_type)",
        "COMMENT ON COLUMN public.entity_facts.data_type IS 'old'",
        "GRANT UPDATE (data_type) ON entity_facts TO agent",
        "CREATE TRIGGER t AFTER UPDATE OF data_type ON entity_facts EXECUTE FUNCTION f()",
        "CREATE STATISTICS s ON data_type, key FROM entity_facts",
        "CREATE PUBLICATION p FOR TABLE entity_facts (id, data_type)",
    ],
)
def test_what_is_built_on_the_column_is_a_definition(text: str) -> None:
    assert names(text) == [(CERTAIN, Kind.DEFINITION)]


@pytest.mark.parametrize(
    "text",
    [
        "WITH gone AS (DELETE FROM entity_facts RETURNING *) SELECT gone.data_type FROM gone",
        "SELECT q.data_type FROM (SELECT * FROM entity_facts) AS q",
        "WITH a AS (TABLE entity_facts), b AS (SELECT * FROM a) SELECT data_type FROM b",
    ],
)
def test_the_column_is_followed_through_queries_that_pass_it_on(text: str) -> None:
    assert names(text) == [(CERTAIN, Kind.READ)]


def test_a_query_named_like_the_table_hides_it() -> None:
    text = (
        "WITH entity_facts AS (SELECT kind AS data_type FROM t) SELECT data_type FROM entity_facts"
    )
    assert [confidence for confidence, _ in names(text)] == [UNRELATED, UNRELATED]
    assert not read(text).ours


def test_an_alias_takes_the_tables_name_away_from_it() -> None:
    assert names("SELECT entity_facts.data_type FROM sensors AS entity_facts") == [
        (UNRELATED, Kind.READ)
    ]


def test_the_catalogs_own_column_is_unrelated_and_a_literal_that_names_ours_possible() -> None:
    text = "SELECT data_type FROM information_schema.columns WHERE column_name = 'data_type'"
    assert [confidence for confidence, _ in names(text)] == [UNRELATED, POSSIBLE]


def test_stars_and_inserts_by_position_are_told_apart_from_names() -> None:
    for text, word in (
        ("SELECT * FROM entity_facts", "*"),
        ("SELECT f.* FROM entity_facts f", "f.*"),
        ("INSERT INTO entity_facts VALUES (1, 'a')", "entity_facts"),
        ("COPY entity_facts TO STDOUT", "entity_facts"),
    ):
        (found,) = read(text).candidates
        assert found.whole_row
        assert text[found.offset :].startswith(word)
    assert read("SELECT * FROM sensors").candidates == ()
    assert read("SELECT * FROM sensors").others


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (" WHERE data_type = %s", Kind.READ),
        (" AND f.data_type <> 'identity'", Kind.READ),
        ("SET data_type = %(kind)s", Kind.WRITE),
        ("id, key, data_type", Kind.READ),
        ("ORDER BY data_type DESC", Kind.READ),
        ("(key, value, data_type)", Kind.WRITE),
        ("ON CONFLICT (key) DO UPDATE SET data_type = 'a'", Kind.WRITE),
    ],
)
def test_a_clause_without_its_statement_is_likely_where_the_table_is_near(
    text: str, kind: Kind
) -> None:
    (found,) = read(text).candidates
    assert (found.confidence, found.kind, found.near) == (POSSIBLE, kind, True)


@pytest.mark.parametrize(
    "text",
    [
        "choose the data_type from a list",
        "and data_type",
        "the data_type, if it is known",
        "data_type",
        "data_type is missing",
        "Where data_type was lost",
    ],
)
def test_prose_is_no_sql(text: str) -> None:
    assert not read(text).is_sql


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO entity_facts (key, data_type) VALUES %s",
        "SELECT data_type FROM entity_facts WHERE id IN %s",
        "SELECT data_type FROM entity_facts WHERE learned_at > now() - INTERVAL %s",
        "SELECT data_type FROM entity_facts WHERE id = ? LIMIT ?",
        "SELECT data_type FROM entity_facts WHERE id = :id AND key = :key::text",
        "SELECT data_type FROM entity_facts WHERE id = ${id}",
        "SELECT data_type FROM entity_facts WHERE ",
        "SELECT data_type FROM entity_facts WHERE (key = 'a' AND (id = 1",
        "UPDATE entity_facts SET data_type = ",
    ],
)
def test_placeholders_and_missing_ends_keep_a_statement_from_nothing(text: str) -> None:
    (found,) = read(text).candidates
    assert found.confidence is CERTAIN
    assert text[found.offset :].startswith("data_type")


def test_a_hole_is_taken_for_what_it_is_known_to_stand_for() -> None:
    def reading(value: str | None) -> Reading:
        spliced = Spliced()
        spliced.literal("SELECT data_type FROM ", 10)
        spliced.hole(32, 7, value)
        return read_sql(spliced, SUBJECT)

    assert reading("entity_facts").candidates[0].confidence is CERTAIN
    assert reading("public.entity_facts").candidates[0].confidence is CERTAIN
    assert reading("sensors").candidates[0].confidence is UNRELATED
    unknown = reading(None).candidates[0]
    assert (unknown.confidence, unknown.near, unknown.offset) == (POSSIBLE, True, 17)


def test_a_hole_that_stands_for_the_column_is_a_place_of_it() -> None:
    spliced = Spliced()
    spliced.literal("SELECT ", 0)
    spliced.hole(7, 8, "data_type")
    spliced.literal(" FROM entity_facts", 15)
    (found,) = read_sql(spliced, SUBJECT).candidates
    assert (found.offset, found.confidence) == (7, CERTAIN)


def test_a_name_of_another_schema_is_another_table_once_the_schema_is_given() -> None:
    subject = Subject("data_type", (TableName("memory", "entity_facts"),))

    def confidence(text: str) -> Confidence:
        return read_sql(plain(text), subject).candidates[0].confidence

    assert confidence("SELECT data_type FROM memory.entity_facts") is CERTAIN
    assert confidence("SELECT data_type FROM entity_facts") is CERTAIN
    assert confidence("SELECT data_type FROM other.entity_facts") is UNRELATED


def test_what_a_file_makes_from_the_table_is_known_from_then_on() -> None:
    text = (
        "CREATE VIEW shown AS SELECT id, data_type FROM entity_facts;\n"
        "SELECT data_type FROM shown;\n"
        "CREATE TEMP TABLE without AS SELECT id FROM entity_facts;\n"
        "CREATE TABLE sensors (data_type text);\n"
        "SELECT data_type FROM sensors;\n"
    )
    found = [c.confidence for c in sql_file(text, SUBJECT).candidates]
    assert found == [CERTAIN, CERTAIN, UNRELATED, UNRELATED]


def test_a_view_that_another_file_makes_is_likely() -> None:
    text = "SELECT data_type FROM shown"
    (found,) = read_sql(plain(text), SUBJECT, derived=frozenset({"shown"})).candidates
    assert (found.confidence, found.near) == (POSSIBLE, True)


def test_psqls_own_commands_variables_and_data_are_told_from_sql() -> None:
    text = (
        "\\set ON_ERROR_STOP on\n"
        "\\echo data_type\n"
        "SELECT data_type FROM entity_facts WHERE id = :id AND key = :'key' \\gx\n"
        "\\copy entity_facts (id, data_type) TO 'facts.csv'\n"
        "COPY entity_facts (id, data_type) FROM stdin;\n"
        "1\tdata_type\n"
        "\\.\n"
        "SELECT data_type[1:2] FROM entity_facts;\n"
    )
    found = sql_file(text, SUBJECT).candidates
    assert [(text.count("\n", 0, c.offset) + 1, c.confidence) for c in found] == [
        (2, POSSIBLE),
        (3, CERTAIN),
        (4, CERTAIN),
        (5, CERTAIN),
        (6, UNRELATED),
        (8, CERTAIN),
    ]


def test_bodies_are_read_with_their_variables_and_records() -> None:
    text = (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$\n"
        "DECLARE r record; data_type text;\n"
        "BEGIN\n"
        "  NEW.data_type := 'a';\n"
        "  FOR r IN SELECT data_type FROM entity_facts LOOP RAISE NOTICE '%', r.data_type; END LOOP;\n"
        "  EXECUTE 'UPDATE entity_facts SET data_type = NULL';\n"
        "  RETURN NEW;\n"
        "END $$;\n"
        "CREATE TRIGGER t BEFORE INSERT ON entity_facts FOR EACH ROW EXECUTE FUNCTION f();\n"
    )
    found = sql_file(text, SUBJECT).candidates
    assert [(text.count("\n", 0, c.offset) + 1, c.confidence, c.kind) for c in found] == [
        (2, UNRELATED, Kind.READ),
        (4, CERTAIN, Kind.WRITE),
        (5, CERTAIN, Kind.READ),
        (5, CERTAIN, Kind.READ),
        (6, CERTAIN, Kind.WRITE),
    ]


def test_comments_are_prose() -> None:
    found = sql_file("-- data_type\nSELECT 1 /* data_type */;", SUBJECT).candidates
    assert [c.context for c in found] == [Context.PROSE, Context.PROSE]


def test_what_belongs_to_the_column_by_its_name_is_possible() -> None:
    for text in (
        "ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type",
        "DROP INDEX idx_entity_facts_data_type",
        "SELECT 1 FROM pg_constraint WHERE conname = 'entity_facts_data_type_check'",
    ):
        (found,) = sql_file(text, SUBJECT).candidates
        assert found.confidence is POSSIBLE


def test_a_script_that_breaks_off_within_a_quote_is_read_line_by_line() -> None:
    text = "SELECT data_type FROM entity_facts;\nSELECT 'not closed"
    assert [c.confidence for c in sql_file(text, SUBJECT).candidates] == [CERTAIN]


def test_what_can_not_be_sql_at_all_is_seen_at_a_glance() -> None:
    assert not may_be_sql("data_type")
    assert may_be_sql("select 1")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT data_type FROM entity_facts WHERE 1" + " + 1" * 25_000,
        "SELECT data_type FROM entity_facts WHERE " + "NOT " * 25_000 + "true",
        "SELECT data_type FROM entity_facts WHERE " + "(" * 20_000 + "1" + ")" * 20_000,
        "SELECT data_type, 1 FROM entity_facts" + " UNION SELECT a, 1 FROM b" * 10_000,
        "SELECT data_type FROM entity_facts WHERE a" + " OPERATOR(pg_catalog.+) 1" * 10_000,
    ],
    ids=["operators", "not", "parentheses", "union", "operators by name"],
)
def test_what_would_bring_the_parser_down_is_judged_by_its_words(text: str) -> None:
    (found,) = sql_file(text, SUBJECT).candidates
    assert found.confidence is LIKELY


def test_long_lists_and_conditions_are_no_deep_ones() -> None:
    many = "SELECT data_type FROM entity_facts WHERE a = 1" + " OR b = 2" * 4_000
    rows = "INSERT INTO entity_facts (data_type) VALUES " + ", ".join(["('a')"] * 4_000)
    for text in (many, rows):
        (found,) = sql_file(text, SUBJECT).candidates
        assert found.confidence is CERTAIN
