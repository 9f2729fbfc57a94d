"""Whose column a name in SQL is, told without a server."""

from __future__ import annotations

import pytest

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.names import Named, Names, Verdict
from memory_maintenance.audit.parsing import parsed, tokens_of
from memory_maintenance.audit.resolver import How, Mention, Statements, whole_rows

RELATIONS = (
    Named(1, "public", "entity_facts", ours=True, has_column=True),
    Named(2, "public", "entities", ours=False, has_column=False),
    Named(3, "public", "entity_facts_archive", ours=False, has_column=True),
    Named(4, "information_schema", "columns", ours=False, has_column=True),
    Named(5, "ours", "notes", ours=True, has_column=True),
    Named(6, "theirs", "notes", ours=False, has_column=True),
)
NAMES = Names("data_type", "public.entity_facts", lambda: RELATIONS)


def mentions(sql: str, *path: str) -> list[Mention]:
    """What a statement says of data_type. path: the schemas that names are looked for in."""
    tree = parsed(sql)
    assert tree is not None, "a statement that can be parsed"
    statements = Statements(NAMES, lambda _: Verdict.MAYBE, path)
    statements.read(tree)
    return statements.mentions


def verdicts(sql: str, *path: str) -> list[Verdict]:
    """The verdict on each mention, in the order in which clauses are read."""
    return [mention.verdict for mention in mentions(sql, *path)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT data_type FROM entity_facts",
        "SELECT public.entity_facts.data_type FROM public.entity_facts",
        "SELECT f.data_type FROM entity_facts AS f",
        "SELECT count(*) FROM entity_facts AS f WHERE f.data_type = 'identity'",
    ],
)
def test_a_name_is_ours_bare_qualified_or_by_alias(sql: str) -> None:
    assert verdicts(sql) == [Verdict.YES]


def test_in_a_join_a_bare_name_is_of_the_table_that_has_it() -> None:
    joined = "FROM entities AS e JOIN entity_facts AS f ON f.entity_id = e.id"
    assert verdicts(f"SELECT data_type {joined}") == [Verdict.YES]
    assert verdicts(f"SELECT e.data_type {joined}") == [Verdict.NO]


def test_a_join_using_the_column_is_a_mention() -> None:
    sql = "SELECT count(*) FROM entity_facts JOIN entity_facts_archive USING (data_type)"
    assert mentions(sql) == [Mention(Verdict.YES, "join")]


@pytest.mark.parametrize(
    ("joined", "found"),
    [
        ("entity_facts NATURAL JOIN entity_facts_archive", [Verdict.YES]),
        ("entity_facts_archive NATURAL LEFT JOIN entity_facts", [Verdict.YES]),
        ("entity_facts AS a NATURAL JOIN entity_facts AS b", [Verdict.YES]),
        ("(SELECT * FROM entity_facts) AS q NATURAL JOIN entity_facts_archive", [Verdict.YES]),
        ("entity_facts NATURAL JOIN made_up", [Verdict.MAYBE]),
        ("entity_facts NATURAL JOIN entities", []),
        ("(SELECT id FROM entity_facts) AS q NATURAL JOIN entity_facts_archive", []),
    ],
)
def test_a_natural_join_is_by_the_column_where_both_sides_have_it(
    joined: str, found: list[Verdict]
) -> None:
    expected = [Mention(verdict, "join", how=How.NATURAL_JOIN) for verdict in found]
    assert mentions(f"SELECT count(*) FROM {joined}") == expected


@pytest.mark.parametrize(
    ("query", "renames"),
    [
        ("SELECT b FROM entity_facts AS f (a, b)", True),
        ("SELECT b FROM (SELECT * FROM entity_facts) AS q (a, b)", True),
        ("WITH q (a, b) AS (SELECT * FROM entity_facts) SELECT b FROM q", True),
        ("SELECT b FROM (entity_facts JOIN entities USING (id)) AS j (a, b)", True),
        ("SELECT f.id FROM entity_facts AS f", False),
        ("SELECT b FROM entities AS e (a, b), entity_facts", False),
        ("SELECT b FROM (SELECT id, key FROM entity_facts) AS q (a, b)", False),
    ],
)
def test_other_names_for_the_table_s_columns_are_seen(query: str, renames: bool) -> None:
    statements = Statements(NAMES, lambda _: Verdict.MAYBE)
    statements.read(parsed(query))
    assert statements.renames is renames


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"E'data\x5ftype'", "data_type"),
        (r"e'data\137type'", "data_type"),
        (r"E'it\'s'", "it's"),
        (r"U&'data\005ftype'", "data_type"),
        (r"'data\x5ftype'", r"data\x5ftype"),
        ("'it''s'", "it's"),
        ("$x$it's$x$", "it's"),
    ],
)
def test_a_string_is_read_with_its_escapes(written: str, value: str) -> None:
    tokens = tokens_of(f"SELECT {written}") or []
    assert [token.text for token in tokens if token.kind == "string"] == [value]


def test_a_star_hands_the_column_out_of_a_subquery_and_an_alias_does_not() -> None:
    assert verdicts("SELECT q.data_type FROM (SELECT * FROM entity_facts) AS q") == [Verdict.YES]
    assert verdicts("SELECT q.data_type FROM (SELECT key AS data_type FROM entity_facts) AS q") == [
        Verdict.NO
    ]


def test_a_subquery_sees_the_tables_around_it() -> None:
    sql = "SELECT EXISTS (SELECT FROM entities WHERE name = data_type) FROM entity_facts"
    assert mentions(sql) == [Mention(Verdict.YES, "subquery", sql.index("data_type"))]


def test_a_with_query_hands_the_column_on() -> None:
    sql = "WITH q AS (SELECT f.* FROM entity_facts AS f) SELECT data_type FROM q"
    assert verdicts(sql) == [Verdict.YES]


def test_a_with_query_hides_the_table_of_its_name() -> None:
    sql = "WITH entity_facts AS (SELECT 'a' AS data_type) SELECT data_type FROM entity_facts"
    assert verdicts(sql) == [Verdict.NO]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT data_type FROM entity_facts_archive",
        "SELECT a.data_type FROM entity_facts AS f JOIN entity_facts_archive AS a USING (id)",
        "UPDATE entity_facts_archive SET data_type = 'identity'",
    ],
)
def test_the_same_column_of_another_table_is_not_ours(sql: str) -> None:
    assert verdicts(sql) == [Verdict.NO]


def test_information_schema_has_a_data_type_of_its_own() -> None:
    sql = "SELECT column_name, data_type FROM information_schema.columns WHERE data_type = 'text'"
    assert verdicts(sql) == [Verdict.NO, Verdict.NO]


def test_what_update_sets_is_of_the_table_that_it_updates() -> None:
    sql = "UPDATE entity_facts SET data_type = 'identity' FROM entity_facts_archive"
    assert verdicts(sql) == [Verdict.YES]
    sql = "UPDATE entity_facts AS f SET key = a.data_type FROM entity_facts_archive AS a"
    assert verdicts(sql) == [Verdict.NO]


def test_the_column_list_of_an_insert_is_a_mention() -> None:
    sql = "INSERT INTO entity_facts (key, data_type) VALUES ('a', 'identity')"
    written = Mention(Verdict.YES, "expression", sql.index("data_type"), kind=Kind.WRITE)
    assert mentions(sql) == [written]


def test_an_insert_without_a_column_list_uses_the_column_by_position() -> None:
    sql = "INSERT INTO entity_facts VALUES (1, 'a')"
    place = sql.index("entity_facts")
    by_position = Mention(Verdict.YES, "expression", place, How.POSITION, Kind.WRITE)
    assert mentions(sql) == [by_position]


@pytest.mark.parametrize(
    "action",
    [
        "(data_type) DO NOTHING",
        "(id) DO UPDATE SET data_type = 'identity'",
        "(id) DO UPDATE SET key = excluded.data_type",
        "(id) DO UPDATE SET key = 'b' WHERE entity_facts.data_type = 'identity'",
    ],
)
def test_on_conflict_is_about_the_table_that_is_inserted_into(action: str) -> None:
    ours = f"INSERT INTO entity_facts (id) VALUES (1) ON CONFLICT {action}"
    assert verdicts(ours) == [Verdict.YES]
    assert verdicts(ours.replace("entity_facts", "entity_facts_archive")) == [Verdict.NO]


def test_comments_and_strings_are_no_mentions() -> None:
    sql = "SELECT 'data_type', $$data_type$$ /* data_type */ FROM entity_facts -- data_type"
    assert mentions(sql) == []
    words = [token.word for token in tokens_of(sql) or ()]
    assert "entity_facts" in words
    assert "data_type" not in words


def test_an_alias_of_the_column_s_name_is_no_mention() -> None:
    assert mentions("SELECT key AS data_type FROM entity_facts AS data_type") == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("DATA_TYPE", [Verdict.YES]),
        ("Data_Type", [Verdict.YES]),
        ('"data_type"', [Verdict.YES]),
        ('U&"data\\005ftype"', [Verdict.YES]),
        ('"Data_Type"', []),
    ],
)
def test_names_are_folded_unless_they_are_quoted(written: str, found: list[Verdict]) -> None:
    assert verdicts(f"SELECT {written} FROM Entity_Facts") == found


def test_a_quoted_table_of_other_capitals_is_another_table() -> None:
    assert verdicts('SELECT data_type FROM "Entity_Facts"') == [Verdict.MAYBE]


def test_of_two_tables_of_a_name_the_schema_or_the_path_decides() -> None:
    assert verdicts("SELECT data_type FROM notes") == [Verdict.MAYBE]
    assert verdicts("SELECT data_type FROM theirs.notes") == [Verdict.NO]
    assert verdicts("SELECT data_type FROM notes", "ours", "theirs") == [Verdict.YES]
    assert verdicts("SELECT data_type FROM notes", "theirs", "ours") == [Verdict.NO]


def test_a_table_that_nobody_knows_leaves_it_open() -> None:
    assert verdicts("SELECT data_type FROM made_up") == [Verdict.MAYBE]


def test_a_name_that_no_from_clause_explains_is_asked_of_the_outside() -> None:
    asked = []

    def outside(parts: object) -> Verdict:
        asked.append(parts)
        return Verdict.NO

    statements = Statements(NAMES, outside)
    statements.read(parsed("SELECT new.data_type"))
    assert asked == [["new", "data_type"]]
    assert [mention.verdict for mention in statements.mentions] == [Verdict.NO]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT to_jsonb(f.*) FROM entity_facts AS f", True),
        ("SELECT to_jsonb(e.*) FROM entities AS e", False),
        ("SELECT to_jsonb(m.*) FROM made_up AS m", None),
        ("SELECT f.id FROM entity_facts AS f", False),
        ("neither.* is SQL", None),
    ],
)
def test_whole_rows_of_the_table_are_told_from_those_of_others(
    query: str, found: bool | None
) -> None:
    assert whole_rows(NAMES, query) is found


def test_relations_are_read_once_and_only_when_asked_for() -> None:
    reads = []

    def read() -> tuple[Named, ...]:
        reads.append(1)
        return RELATIONS

    names = Names("data_type", "public.entity_facts", read)
    assert reads == []
    assert names.ours == {"entity_facts", "notes"}
    names.has("public", "entities")
    names.has_oid(3)
    assert reads == [1]
