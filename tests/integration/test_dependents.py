"""What depends on the retired column, by the catalog and by the text of functions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from memory_maintenance.audit.database import (
    Dependent,
    RowReturning,
    above,
    dependents,
    row_returning_with_column_list,
)
from memory_maintenance.database import relation
from memory_maintenance.database.session import Session
from memory_maintenance.migration import contract_dependents
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.views import keep
from tests.support.contracting import EAGER, contracted, plain_database, written_down
from tests.support.migration import session
from tests.support.server import TestDatabase

FACTS = "public.entity_facts"


def scan(
    database: TestDatabase, table: tuple[str, str] = ("public", "entity_facts"), **connect: Any
) -> list[Dependent]:
    """All that depends on data_type of the table."""
    with session(database, **connect) as opened:
        return dependents(opened, relation.resolve(opened, *table))


def added(database: TestDatabase, *ddl: str) -> list[Dependent]:
    """What depends on the column after the statements, and didn't before."""
    before = set(scan(database))
    conn = database.connect()
    for statement in ddl:
        conn.execute(statement.encode())
    return [found for found in scan(database) if found not in before]


def brief(found: Sequence[Dependent]) -> list[tuple[str, str]]:
    """Kind and name of each."""
    return [(d.kind, d.name) for d in found]


# -- the deployment's own --


def test_the_legacy_schema_has_one_view_in_the_way_and_one_function_that_returns_rows(
    each_database: TestDatabase,
) -> None:
    found = scan(each_database)
    assert brief([d for d in found if d.blocks]) == [
        ("view", "public.delegation_knowledge"),
        ("whole-row use", "public.merge_facts(integer, integer)"),
    ]
    assert brief([d for d in found if not d.blocks]) == [
        ("comment", f"data_type on {FACTS}"),
        ("constraint", f"chk_data_type on {FACTS}"),
        ("default", f"data_type on {FACTS}"),
        ("index", "public.idx_entity_facts_data_type"),
    ]
    assert [d.name for d in found if d.acceptable] == ["public.merge_facts(integer, integer)"]


def test_what_the_column_owns_is_restored_by_its_definition(database: TestDatabase) -> None:
    owned = [d for d in scan(database) if not d.blocks]
    conn = database.connect()
    conn.execute("DROP INDEX idx_entity_facts_data_type")
    conn.execute("ALTER TABLE entity_facts ALTER COLUMN data_type DROP DEFAULT")
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    conn.execute("COMMENT ON COLUMN entity_facts.data_type IS NULL")
    assert [d for d in scan(database) if not d.blocks] == []
    for d in owned:
        name = d.name.split(" ")[0]
        add = f"ALTER TABLE {FACTS} ADD CONSTRAINT {name} "
        conn.execute(((add if d.kind == "constraint" else "") + d.definition).encode())
    again = [d for d in scan(database) if not d.blocks]
    # PostgreSQL spells a CHECK on varchar differently after each round.
    assert [(d.kind, d.name) for d in again] == [(d.kind, d.name) for d in owned]
    assert {d.definition for d in owned} - {d.definition for d in again} == {
        d.definition for d in owned if d.kind == "constraint"
    }


def test_the_archive_has_nothing_but_a_function_that_names_it(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts_archive ADD PRIMARY KEY (id)")
    assert scan(database, ("public", "entity_facts_archive")) == []


# -- what the catalog knows --

CATALOG = {
    "a view": (
        ["CREATE VIEW v AS SELECT id FROM entity_facts WHERE data_type = 'identity'"],
        [("view", "public.v")],
    ),
    "a materialized view": (
        ["CREATE MATERIALIZED VIEW m AS SELECT data_type, count(*) FROM entity_facts GROUP BY 1"],
        [("materialized view", "public.m")],
    ),
    "a view with quotes, but not the view upon it": (
        [
            'CREATE SCHEMA "Odd ""One"""',
            'CREATE VIEW "Odd ""One"""."My View" AS SELECT data_type FROM entity_facts',
            'CREATE VIEW v AS SELECT * FROM "Odd ""One"""."My View"',
        ],
        [("view", '"Odd ""One"""."My View"')],
    ),
    "a rule": (
        [
            "CREATE TABLE log (kind text)",
            "CREATE RULE noted AS ON DELETE TO entity_facts DO ALSO"
            " INSERT INTO log VALUES (old.data_type)",
        ],
        [("rule", f"noted on {FACTS}")],
    ),
    "a rule of another table": (
        [
            "CREATE TABLE wish (kind text)",
            "CREATE RULE passed_on AS ON INSERT TO wish DO INSTEAD"
            " UPDATE entity_facts SET data_type = new.kind WHERE id = 1",
        ],
        [("rule", "passed_on on public.wish")],
    ),
    "a CHECK on two columns": (
        ["ALTER TABLE entity_facts ADD CONSTRAINT two CHECK (data_type <> key)"],
        [("constraint", f"two on {FACTS}")],
    ),
    "a unique constraint, without its index": (
        ["ALTER TABLE entity_facts ADD CONSTRAINT once UNIQUE (entity_id, data_type)"],
        [("constraint", f"once on {FACTS}")],
    ),
    "an exclusion": (
        [
            "ALTER TABLE entity_facts ADD CONSTRAINT apart"
            " EXCLUDE USING btree (entity_id WITH =) WHERE (data_type = 'identity')"
        ],
        [("constraint", f"apart on {FACTS}")],
    ),
    "a foreign key": (
        [
            "CREATE TABLE kinds (kind varchar(20) PRIMARY KEY)",
            "ALTER TABLE entity_facts ADD CONSTRAINT known FOREIGN KEY (data_type) REFERENCES kinds",
        ],
        [("constraint", f"known on {FACTS}")],
    ),
    "a unique index, and the foreign key of another table to it": (
        [
            "CREATE UNIQUE INDEX alone ON entity_facts (data_type)",
            "CREATE TABLE about (kind varchar(20) REFERENCES entity_facts (data_type))",
        ],
        [("constraint", "about_kind_fkey on public.about"), ("index", "public.alone")],
    ),
    "indexes": (
        [
            "CREATE INDEX two ON entity_facts (entity_id, data_type)",
            "CREATE INDEX with_it ON entity_facts (entity_id) INCLUDE (data_type)",
            "CREATE INDEX lowered ON entity_facts (lower(data_type))",
            "CREATE INDEX partial ON entity_facts (entity_id) WHERE data_type = 'identity'",
            "CREATE INDEX part ON entity_facts (data_type) WHERE entity_id = 1",
            "CREATE INDEX hashed ON entity_facts USING hash (data_type)",
        ],
        [
            ("index", f"public.{name}")
            for name in ("hashed", "lowered", "part", "partial", "two", "with_it")
        ],
    ),
    "triggers": (
        [
            "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "CREATE TRIGGER of_it BEFORE UPDATE OF data_type ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION quiet()",
            "CREATE TRIGGER when_it BEFORE INSERT ON entity_facts"
            " FOR EACH ROW WHEN (NEW.data_type = 'x') EXECUTE FUNCTION quiet()",
            "CREATE TRIGGER other BEFORE UPDATE OF key ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION quiet()",
        ],
        [("trigger", f"of_it on {FACTS}"), ("trigger", f"when_it on {FACTS}")],
    ),
    "policies": (
        [
            "CREATE POLICY p ON entity_facts FOR SELECT TO mm_reader, PUBLIC"
            " USING (data_type <> 'identity')",
            "CREATE POLICY q ON entities USING (EXISTS (SELECT FROM entity_facts AS f"
            " WHERE f.entity_id = entities.id AND f.data_type = 'identity'))",
        ],
        [("policy", "p on public.entity_facts"), ("policy", "q on public.entities")],
    ),
    "a generated column": (
        [
            "ALTER TABLE entity_facts ADD COLUMN kind text"
            " GENERATED ALWAYS AS (upper(data_type)) STORED"
        ],
        [("generated column", f"kind on {FACTS}")],
    ),
    "statistics": (
        ["CREATE STATISTICS s ON key, data_type FROM entity_facts"],
        [("statistics", "public.s")],
    ),
    "publications": (
        [
            "CREATE PUBLICATION p FOR TABLE entity_facts (id, data_type)",
            "CREATE PUBLICATION q FOR TABLE entity_facts WHERE (id > 5)",
        ],
        [("publication", f"p on {FACTS}")],
    ),
    "functions with a parsed body": (
        [
            "CREATE FUNCTION kind(integer) RETURNS text BEGIN ATOMIC"
            " SELECT data_type FROM entity_facts WHERE id = $1; END",
            "CREATE PROCEDURE forget() BEGIN ATOMIC UPDATE entity_facts SET data_type = NULL; END",
        ],
        [("function", "public.kind(integer)"), ("procedure", "public.forget()")],
    ),
    "column grants": (
        [
            "GRANT SELECT (data_type), UPDATE (data_type) ON entity_facts TO mm_reader",
            "GRANT SELECT (data_type) ON entity_facts TO PUBLIC",
        ],
        [("column grant", f"PUBLIC on {FACTS}"), ("column grant", f"mm_reader on {FACTS}")],
    ),
    "whole rows": (
        [
            "CREATE VIEW a AS SELECT f FROM entity_facts AS f",
            "CREATE VIEW b AS SELECT to_jsonb(f) AS j FROM entity_facts AS f",
            "CREATE MATERIALIZED VIEW c AS SELECT row_to_json(f.*) FROM entity_facts AS f",
            "CREATE VIEW d AS SELECT e AS whole, count(f.id) FROM entities AS e"
            " JOIN entity_facts AS f ON f.entity_id = e.id GROUP BY e.id",
            "CREATE TABLE kept (fact entity_facts)",
            "CREATE TABLE many (facts entity_facts[])",
            "CREATE TYPE pair AS (one entity_facts, two text)",
            "CREATE DOMAIN sound AS entity_facts CHECK ((VALUE).id > 0)",
        ],
        [
            ("whole-row use", f"public.{name}")
            for name in ("a", "b", "c", "kept.fact", "many.facts", "pair.one", "sound")
        ],
    ),
}


@pytest.mark.parametrize("case", CATALOG)
def test_the_catalog_gives_away(case: str, each_database: TestDatabase) -> None:
    ddl, expected = CATALOG[case]
    if case == "functions with a parsed body" and each_database.version < 140000:
        pytest.skip("no SQL-standard bodies before 14")
    found = added(each_database, *ddl)
    assert brief(found) == expected
    assert all(d.blocks and d.why and d.definition for d in found)


def test_a_virtual_generated_column_is_found(database: TestDatabase) -> None:
    if database.version < 180000:
        pytest.skip("no virtual columns before 18")
    found = added(
        database,
        "ALTER TABLE entity_facts ADD COLUMN kind text GENERATED ALWAYS AS (data_type) VIRTUAL",
    )
    assert brief(found) == [("generated column", f"kind on {FACTS}")]


def test_definitions_of_policies_publications_and_grants_can_be_run_again(
    database: TestDatabase,
) -> None:
    found = added(
        database,
        "CREATE POLICY p ON entity_facts AS RESTRICTIVE FOR UPDATE TO mm_reader"
        " USING (data_type <> 'a') WITH CHECK (data_type <> 'b')",
        "CREATE PUBLICATION p FOR TABLE entity_facts (id, data_type) WHERE (data_type <> 'c')",
        "GRANT SELECT (data_type) ON entity_facts TO mm_reader WITH GRANT OPTION",
        "ALTER TABLE entity_facts REPLICA IDENTITY FULL",
    )
    conn = database.connect()
    conn.execute("DROP POLICY p ON entity_facts")
    conn.execute("ALTER PUBLICATION p DROP TABLE entity_facts")
    conn.execute("REVOKE SELECT (data_type) ON entity_facts FROM mm_reader")
    assert not {"policy", "publication", "column grant"} & {d.kind for d in scan(database)}
    for d in found:
        conn.execute(d.definition.encode())
    again = [d for d in scan(database) if d.kind in ("policy", "publication", "column grant")]
    assert [d.definition for d in again] == [d.definition for d in found]
    assert len(again) == 3


def test_our_own_trigger_is_no_dependent(database: TestDatabase) -> None:
    found = added(
        database,
        "CREATE SCHEMA memory_maintenance",
        "CREATE FUNCTION memory_maintenance.own() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN NEW.data_type := NULL; RETURN NEW; END'",
        "CREATE TRIGGER memory_maintenance_update BEFORE UPDATE OF data_type ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION memory_maintenance.own()",
    )
    assert found == []


# -- partitioned tables --


def test_a_partition_s_own_objects_are_found_and_inherited_ones_told_once(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(
        """
        CREATE TABLE parts (
            id integer PRIMARY KEY, key text, data_type varchar(20) DEFAULT 'x' CHECK (data_type <> '')
        ) PARTITION BY RANGE (id);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
        CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
        CREATE INDEX parts_type ON parts (data_type);
        CREATE INDEX parts_2_key ON parts_2 (key) WHERE data_type = 'x';
        ALTER TABLE parts_2 ALTER COLUMN data_type SET DEFAULT 'y';
        ALTER TABLE parts_2 ADD CONSTRAINT own CHECK (data_type <> key);
        CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER every BEFORE UPDATE OF data_type ON parts
            FOR EACH ROW EXECUTE FUNCTION quiet();
        CREATE TRIGGER own BEFORE UPDATE OF data_type ON parts_1
            FOR EACH ROW EXECUTE FUNCTION quiet();
        CREATE POLICY own ON parts_1 USING (data_type = 'x');
        CREATE VIEW v AS SELECT data_type FROM parts_1;
        CREATE FUNCTION of_part() RETURNS text LANGUAGE sql AS 'SELECT data_type FROM parts_2 LIMIT 1';
        """
    )
    found = scan(each_database, ("public", "parts"))
    assert brief(found) == [
        ("constraint", "own on public.parts_2"),
        ("constraint", "parts_data_type_check on public.parts"),
        ("default", "data_type on public.parts"),
        ("default", "data_type on public.parts_2"),
        ("function", "public.of_part()"),
        ("index", "public.parts_2_key"),
        ("index", "public.parts_type"),
        ("policy", "own on public.parts_1"),
        ("trigger", "every on public.parts"),
        ("trigger", "own on public.parts_1"),
        ("view", "public.v"),
    ]


@pytest.mark.parametrize("key", ["(data_type)", "((upper(data_type)))", "(key, lower(data_type))"])
def test_a_table_partitioned_by_the_column_says_so(key: str, database: TestDatabase) -> None:
    conn = database.connect()
    method = "RANGE" if "," in key else "LIST"
    conn.execute(
        "CREATE TABLE parts (id integer, key text, data_type text) PARTITION BY RANGE (id)"
    )
    conn.execute(
        f"CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (9)"
        f" PARTITION BY {method} {key}".encode()
    )
    with session(database) as opened:
        found = dependents(opened, without_key(opened, "parts"))
    assert brief(found) == [("partition key", "public.parts_1")]


def without_key(opened: Session, name: str) -> relation.Relation:
    """A table of public that may lack the key which relation.resolve asks for."""
    row = opened.connection.execute("SELECT %s::regclass::oid", [f"public.{name}"]).fetchone()
    assert row is not None
    return relation.Relation(
        oid=row[0],
        schema="public",
        name=name,
        owner="",
        owned=True,
        partitioned=True,
        can_select=True,
        can_update=True,
        key="id",
        columns={},
        row_estimate=0,
        rows_hidden=False,
    )


def test_a_column_that_comes_from_a_parent_or_a_type_can_t_be_dropped(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("CREATE TABLE parent (data_type text)")
    conn.execute("CREATE TABLE child (id integer PRIMARY KEY) INHERITS (parent)")
    conn.execute("CREATE TYPE made AS (id integer, data_type text)")
    conn.execute("CREATE TABLE typed OF made (PRIMARY KEY (id))")
    assert brief(scan(database, ("public", "child"))) == [("parent table", "public.parent")]
    assert brief(scan(database, ("public", "typed"))) == [("composite type", "public.made")]


# -- the text of functions --

PLPGSQL = "CREATE FUNCTION f({0}) RETURNS {1} LANGUAGE plpgsql AS $f$ {2} $f$"
SQL = "CREATE FUNCTION f({0}) RETURNS {1} LANGUAGE sql AS $f$ {2} $f$"
CERTAIN = {
    "a bare name": SQL.format("", "text", "SELECT data_type FROM entity_facts LIMIT 1"),
    "an alias": SQL.format("", "text", "SELECT f.data_type FROM public.entity_facts AS f LIMIT 1"),
    "a qualified name": SQL.format(
        "", "text", "SELECT public.entity_facts.data_type FROM public.entity_facts LIMIT 1"
    ),
    "capitals and quotes": SQL.format(
        "", "text", 'SELECT DATA_TYPE || "data_type" FROM Entity_Facts LIMIT 1'
    ),
    "escapes": SQL.format("", "text", 'SELECT U&"data\\005ftype" FROM entity_facts LIMIT 1'),
    "a join": SQL.format(
        "",
        "text",
        "SELECT f.data_type FROM entities AS e JOIN entity_facts AS f"
        " ON f.entity_id = e.id LIMIT 1",
    ),
    "USING": SQL.format(
        "",
        "bigint",
        "SELECT count(*) FROM entity_facts JOIN entity_facts_archive USING (data_type)",
    ),
    "a star of a subquery": SQL.format(
        "", "text", "SELECT q.data_type FROM (SELECT * FROM entity_facts) AS q LIMIT 1"
    ),
    "a star of a WITH query": SQL.format(
        "", "text", "WITH q AS (SELECT f.* FROM entity_facts AS f) SELECT data_type FROM q LIMIT 1"
    ),
    "the outer query's table": SQL.format(
        "",
        "bigint",
        "SELECT count(*) FROM entity_facts AS f WHERE EXISTS"
        " (SELECT FROM entities AS e WHERE e.name = data_type)",
    ),
    "a column list of INSERT": SQL.format(
        "", "void", "INSERT INTO entity_facts (key, value, data_type) VALUES ('a', 'b', 'c')"
    ),
    "an INSERT without a column list": SQL.format(
        "", "void", "INSERT INTO entity_facts_2 SELECT * FROM entity_facts_2"
    ).replace("entity_facts_2", "entity_facts"),
    "ON CONFLICT": SQL.format(
        "",
        "void",
        "INSERT INTO entity_facts (id, key, value) VALUES (1, 'a', 'b')"
        " ON CONFLICT (id) DO UPDATE SET value = excluded.data_type",
    ),
    "SET": PLPGSQL.format(
        "", "void", "BEGIN UPDATE entity_facts AS f SET data_type = 'x' WHERE f.id = 1; END"
    ),
    "RETURNING": PLPGSQL.format(
        "", "void", "DECLARE t text; BEGIN DELETE FROM entity_facts RETURNING data_type INTO t; END"
    ),
    "SELECT INTO": PLPGSQL.format(
        "",
        "text",
        "DECLARE t text; n int; BEGIN SELECT data_type, id INTO STRICT t, n"
        " FROM entity_facts WHERE id = 1; RETURN t; END",
    ),
    "PERFORM": PLPGSQL.format(
        "", "void", "BEGIN PERFORM 1 FROM entity_facts WHERE data_type = 'x'; END"
    ),
    "a condition": PLPGSQL.format(
        "",
        "void",
        "BEGIN IF EXISTS (SELECT FROM entity_facts WHERE data_type = 'x') THEN NULL; END IF; END",
    ),
    "a CASE in a condition": PLPGSQL.format(
        "",
        "void",
        "BEGIN IF CASE WHEN true THEN (SELECT data_type FROM entity_facts) END = 'x'"
        " THEN NULL; END IF; END",
    ),
    "an assignment": PLPGSQL.format(
        "",
        "text",
        "DECLARE t text; BEGIN t := (SELECT f.data_type FROM entity_facts f LIMIT 1);"
        " RETURN t; END",
    ),
    "a loop": PLPGSQL.format(
        "",
        "void",
        "DECLARE r record; BEGIN FOR r IN SELECT id, data_type FROM entity_facts"
        " LOOP NULL; END LOOP; END",
    ),
    "a record of a star": PLPGSQL.format(
        "",
        "void",
        "DECLARE r record; BEGIN FOR r IN SELECT * FROM entity_facts"
        " LOOP RAISE NOTICE '%', r.data_type; END LOOP; END",
    ),
    "a row variable": PLPGSQL.format(
        "", "void", "DECLARE r entity_facts%ROWTYPE; BEGIN r.data_type := 'x'; END"
    ),
    "a variable of the row's type": PLPGSQL.format(
        "", "text", "DECLARE r public.entity_facts; BEGIN RETURN r.data_type; END"
    ),
    "the type of the column": PLPGSQL.format(
        "", "void", "DECLARE t public.entity_facts.data_type%TYPE; BEGIN END"
    ),
    "a cursor": PLPGSQL.format(
        "", "void", "DECLARE c CURSOR FOR SELECT data_type FROM entity_facts; BEGIN END"
    ),
    "a parameter": SQL.format("f entity_facts", "text", "SELECT f.data_type"),
    "a numbered parameter": SQL.format("entity_facts", "text", "SELECT ($1).data_type"),
    "all columns copied by position": SQL.format(
        "",
        "void",
        "WITH gone AS (DELETE FROM entity_facts RETURNING *)"
        " INSERT INTO entity_facts_archive SELECT *, now() FROM gone",
    ),
    "a default in a block with a label": PLPGSQL.format(
        "",
        "void",
        "BEGIN <<inner>> DECLARE t text DEFAULT (SELECT data_type FROM entity_facts LIMIT 1);"
        " r entity_facts; BEGIN NULL; END; END",
    ),
    "an exception's handler": PLPGSQL.format(
        "",
        "void",
        "BEGIN NULL; EXCEPTION WHEN unique_violation OR others THEN"
        " UPDATE entity_facts SET data_type = NULL WHERE id = 1; END",
    ),
    "a CASE statement": PLPGSQL.format(
        "",
        "void",
        "DECLARE r entity_facts; BEGIN CASE r.data_type WHEN 'a' THEN NULL; ELSE NULL; END CASE; END",
    ),
    "EXIT WHEN": PLPGSQL.format(
        "",
        "void",
        "DECLARE r entity_facts; BEGIN LOOP EXIT WHEN r.data_type = 'a'; END LOOP; END",
    ),
    "a command": PLPGSQL.format("", "void", "BEGIN CREATE INDEX ON entity_facts (data_type); END"),
    "MERGE": PLPGSQL.format(
        "",
        "void",
        "BEGIN MERGE INTO entity_facts AS f USING entities AS e ON e.id = f.entity_id"
        " WHEN MATCHED THEN UPDATE SET data_type = 'x'; END",
    ),
    "NATURAL JOIN": SQL.format(
        "", "bigint", "SELECT count(*) FROM entity_facts NATURAL JOIN entity_facts_archive"
    ),
    "NATURAL JOIN in a statement": PLPGSQL.format(
        "",
        "void",
        "BEGIN PERFORM 1 FROM entity_facts_archive AS a NATURAL JOIN entity_facts AS f; END",
    ),
    "behind what stands in comments and strings": SQL.format(
        "", "text", "SELECT 'it''s -- no comment', data_type /* nor ' this */ FROM entity_facts"
    ).replace("text LANGUAGE", "record LANGUAGE"),
}
POSSIBLE = {
    "EXECUTE": PLPGSQL.format(
        "", "void", "BEGIN EXECUTE 'UPDATE entity_facts SET data_type = NULL'; END"
    ),
    "format": PLPGSQL.format(
        "t text", "void", "BEGIN EXECUTE format('DELETE FROM %I WHERE data_type = %L', t, 'x'); END"
    ),
    "pieces of SQL": PLPGSQL.format(
        "t text", "void", "BEGIN EXECUTE 'DELETE FROM ' || t || ' WHERE data_type = 1'; END"
    ),
    "a table made at run time": PLPGSQL.format(
        "",
        "void",
        "BEGIN CREATE TEMP TABLE copy AS SELECT * FROM entity_facts;"
        " DELETE FROM copy WHERE data_type = 'x'; END",
    ),
    "a record of anywhere": PLPGSQL.format(
        "t text",
        "void",
        "DECLARE r record; BEGIN EXECUTE t INTO r; RAISE NOTICE '%', r.data_type; END",
    ),
    "a trigger function without a trigger": PLPGSQL.format(
        "", "trigger", "BEGIN NEW.data_type := 'x'; RETURN NEW; END"
    ),
    "a JSON key": SQL.format(
        "", "text", "SELECT to_jsonb(f) ->> 'data_type' FROM entity_facts AS f LIMIT 1"
    ),
    "an output filled by a star": PLPGSQL.format(
        "",
        "TABLE (id integer, data_type text)",
        "BEGIN RETURN QUERY SELECT q.* FROM (TABLE entity_facts) AS q; END",
    ),
    "other names by position": SQL.format(
        "",
        "text",
        "SELECT min(x::text) FROM entity_facts AS f (a, b, c, d, e, g, h, i, j, k, x)",
    ),
    "other names by position in a statement": PLPGSQL.format(
        "",
        "text",
        "BEGIN RETURN (SELECT min(x::text) FROM entity_facts f (a, b, c, d, e, g, h, i, j, k, x)); END",
    ),
    "other names for a star": PLPGSQL.format(
        "",
        "void",
        "BEGIN WITH q (a, b, c, d, e, g, h, i, j, k, x) AS (SELECT * FROM entity_facts)"
        " DELETE FROM entities USING q WHERE name = x; END",
    ),
    "NATURAL JOIN with a table made at run time": SQL.format(
        "", "bigint", "SELECT count(*) FROM entity_facts NATURAL JOIN made_up"
    ),
    "an escape in a string": PLPGSQL.format(
        "", "void", r"BEGIN EXECUTE E'UPDATE entity_facts SET data\x5ftype = NULL'; END"
    ),
    "an escape in another kind of string": PLPGSQL.format(
        "", "void", r"BEGIN EXECUTE U&'UPDATE x SET data\005ftype = NULL'; END"
    ),
    "a parameter's default": PLPGSQL.format(
        "t text, c text DEFAULT 'data_type'",
        "void",
        "BEGIN EXECUTE format('UPDATE %I SET %I = NULL', t, c); END",
    ),
    "a text that is no SQL": PLPGSQL.format("", "void", "BEGIN SELECT FROM WHERE data_type; END"),
}
UNRELATED = {
    "information_schema": SQL.format(
        "",
        "text",
        "SELECT c.data_type::text FROM information_schema.columns AS c"
        " WHERE c.table_name = 'entity_facts' LIMIT 1",
    ),
    "another table": SQL.format("", "text", "SELECT data_type FROM entity_facts_archive LIMIT 1"),
    "another table beside ours": SQL.format(
        "", "text", "SELECT a.data_type FROM entity_facts f JOIN entity_facts_archive a USING (id)"
    ),
    "a comment": SQL.format("", "integer", "SELECT 1 /* data_type */ -- entity_facts.data_type"),
    "a message": PLPGSQL.format(
        "", "void", "BEGIN RAISE NOTICE 'data_type of entity_facts is gone'; END"
    ),
    "a string about something else": PLPGSQL.format(
        "", "void", "BEGIN EXECUTE 'SELECT data_type FROM information_schema.columns'; END"
    ),
    "a record of something else": PLPGSQL.format(
        "",
        "void",
        "DECLARE r record; BEGIN FOR r IN SELECT column_name, data_type"
        " FROM information_schema.columns LOOP RAISE NOTICE '%', r.data_type; END LOOP; END",
    ),
    "an output's name": SQL.format(
        "",
        "text",
        "SELECT q.data_type FROM (SELECT f.key AS data_type FROM entity_facts AS f) AS q LIMIT 1",
    ),
    "a parameter of its name": SQL.format(
        "data_type text", "bigint", "SELECT count(*) FROM entities WHERE type = data_type"
    ),
    "a variable of its name": PLPGSQL.format(
        "", "text", "DECLARE data_type text := 'x'; BEGIN data_type := 'y'; RETURN data_type; END"
    ),
    "a longer name": SQL.format("", "text", "SELECT 'data_types' || 'my_data_type'"),
    "a function of its name": SQL.format(
        "", "text", "SELECT data_type(f.id) FROM entity_facts AS f LIMIT 1"
    ),
    "a list of columns in FROM": SQL.format(
        "", "text", "SELECT x.data_type FROM jsonb_to_recordset('[]') AS x (data_type text)"
    ),
    "a new table": PLPGSQL.format(
        "", "void", "BEGIN CREATE TEMP TABLE x (data_type text); DROP TABLE x; END"
    ),
    "an INSERT into other columns": SQL.format(
        "", "void", "INSERT INTO entity_facts (key, value) SELECT key, value FROM entity_facts"
    ),
    "NATURAL JOIN with a table that has no such column": SQL.format(
        "", "bigint", "SELECT count(*) FROM entity_facts NATURAL JOIN entities"
    ),
    "NATURAL JOIN of others": SQL.format(
        "",
        "bigint",
        "SELECT count(*) FROM entity_facts_archive AS a NATURAL JOIN entity_facts_archive AS b,"
        " entity_facts",
    ),
    "other names for another table's columns": SQL.format(
        "", "text", "SELECT x FROM entities AS e (id, x), entity_facts AS f LIMIT 1"
    ),
    "a parameter's default that is longer": SQL.format(
        "t text DEFAULT 'my_data_type'", "integer", "SELECT 1"
    ),
    "the table without the column": SQL.format(
        "", "text", "SELECT key FROM entity_facts WHERE id = 1"
    ),
}


def verdicts(database: TestDatabase, cases: Mapping[str, str]) -> dict[str, str]:
    """What the scan says of functions, each named after its case; those that it leaves out aren't there.

    The functions may be any text: nothing runs them.
    """
    conn = database.connect()
    conn.execute("SET check_function_bodies = off")
    for case, ddl in cases.items():
        conn.execute(ddl.replace("FUNCTION f(", f'FUNCTION "{case}"(', 1).encode())
    said = {}
    for found in scan(database):
        if found.kind == "function":
            assert found.blocks
            assert found.acceptable
            case = found.name.removeprefix("public.").split("(")[0].strip('"')
            assert found.definition.startswith("CREATE OR REPLACE FUNCTION public.")
            said[case] = "possible" if "possibly" in found.why else "certain"
    return said


def test_a_function_that_names_the_column_is_found(database: TestDatabase) -> None:
    assert verdicts(database, CERTAIN) == dict.fromkeys(CERTAIN, "certain")


def test_a_function_that_may_name_the_column_is_found_as_possible(database: TestDatabase) -> None:
    assert verdicts(database, POSSIBLE) == dict.fromkeys(POSSIBLE, "possible")


def test_a_function_about_something_else_is_left_out(database: TestDatabase) -> None:
    assert verdicts(database, UNRELATED) == {}


def test_a_string_that_may_mean_either_table_means_the_one_that_the_body_names(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts_archive ADD PRIMARY KEY (id)")
    bodies = {
        "of_facts": "t := 'entity_facts'; EXECUTE 'UPDATE ' || t || ' SET data_type = 1';",
        "of_archive": "t := 'entity_facts_archive'; EXECUTE 'UPDATE ' || t || ' SET data_type = 1';",
        "of_both": "EXECUTE 'UPDATE ' || t || ' SET data_type = 1';"
        " DELETE FROM entity_facts; DELETE FROM entity_facts_archive;",
        "of_neither": "EXECUTE 'UPDATE ' || t || ' SET data_type = 1';",
    }
    for name, body in bodies.items():
        conn.execute(
            f"CREATE FUNCTION {name}(t text) RETURNS void LANGUAGE plpgsql"
            f" AS $f$BEGIN {body} END$f$".encode()
        )
    with session(database) as opened:
        archive = relation.resolve(opened, "public", "entity_facts_archive")
        found = dependents(opened, archive, beside="entity_facts")
    assert [d.name for d in found if d.kind == "function"] == [
        f"public.{name}(text)" for name in ("of_archive", "of_both", "of_neither")
    ]
    assert {f"public.{name}(text)" for name in ("of_facts", "of_both", "of_neither")} <= {
        d.name for d in scan(database)
    }


@pytest.mark.parametrize(
    ("table", "found"), [("entity_facts", True), ("entity_facts_archive", False)]
)
def test_new_and_old_belong_to_the_trigger_s_table(
    table: str, found: bool, database: TestDatabase
) -> None:
    body = PLPGSQL.format(
        "", "trigger", "BEGIN IF NEW.data_type <> OLD.data_type THEN NULL; END IF; RETURN NEW; END"
    )
    trigger = f"CREATE TRIGGER t BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION f()"
    said = verdicts(database, {"f": f"{body}; {trigger}"})
    assert said == ({"f": "certain"} if found else {})


def test_a_path_that_the_function_sets_tells_which_table_is_meant(database: TestDatabase) -> None:
    body = "SET search_path = {} AS 'SELECT data_type FROM entity_facts'"
    conn = database.connect()
    conn.execute("CREATE SCHEMA other")
    conn.execute("CREATE TABLE other.entity_facts (data_type text)")
    for name, path in (("here", "public, other"), ("there", "other, public")):
        conn.execute(
            f"CREATE FUNCTION {name}() RETURNS text LANGUAGE sql {body.format(path)}".encode()
        )
    conn.execute(
        "CREATE FUNCTION anywhere() RETURNS text LANGUAGE sql"
        " AS 'SELECT data_type FROM entity_facts'"
    )
    found = {d.name: "possibly" in d.why for d in scan(database) if d.kind == "function"}
    assert found == {"public.here()": False, "public.anywhere()": True}


def test_rows_are_used_by_signature_and_by_variable(database: TestDatabase) -> None:
    found = added(
        database,
        "CREATE FUNCTION a(entity_facts) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "CREATE FUNCTION b(entity_facts[]) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "CREATE FUNCTION c() RETURNS SETOF entity_facts LANGUAGE sql AS 'TABLE entity_facts'",
        "CREATE FUNCTION d() RETURNS TABLE (one entity_facts) LANGUAGE sql"
        " AS 'SELECT f FROM entity_facts AS f'",
        "CREATE FUNCTION e() RETURNS void LANGUAGE plpgsql AS"
        " 'DECLARE mine public.entity_facts%ROWTYPE; BEGIN END'",
        "CREATE PROCEDURE g(INOUT one entity_facts) LANGUAGE plpgsql AS 'BEGIN END'",
    )
    assert [d.kind for d in found] == ["whole-row use"] * 6
    assert [d.name[:8] for d in found] == [f"public.{name}" for name in "abcdeg"]


def test_functions_of_extensions_and_of_ours_are_not_read(database: TestDatabase) -> None:
    body = "() RETURNS text LANGUAGE sql AS 'SELECT data_type FROM public.entity_facts'"
    found = added(
        database,
        "CREATE SCHEMA memory_maintenance",
        f"CREATE FUNCTION memory_maintenance.own{body}",
        f"CREATE FUNCTION member{body}",
        "ALTER EXTENSION plpgsql ADD FUNCTION member()",
    )
    assert found == []


def test_a_very_long_function_takes_seconds_and_not_minutes(database: TestDatabase) -> None:
    # Each of them names a column that only a parse can tell to be another's.
    statement = "PERFORM a.data_type FROM entity_facts_archive AS a WHERE a.value = 'data';\n"
    body = statement * (1_000_000 // len(statement))
    conn = database.connect()
    conn.execute(
        f"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $f$BEGIN {body} END$f$".encode()
    )
    nested = "(" * 500 + "data_type" + ")" * 500
    conn.execute("SET check_function_bodies = off")
    conn.execute(f"CREATE FUNCTION g() RETURNS text LANGUAGE sql AS $f$SELECT {nested}$f$".encode())
    chain = " || ".join(["data_type"] * 20_000)
    conn.execute(f"CREATE FUNCTION h() RETURNS text LANGUAGE sql AS $f$SELECT {chain}$f$".encode())
    started = time.monotonic()
    found = [d for d in scan(database) if d.kind == "function"]
    assert time.monotonic() - started < 60, "seconds for a megabyte"
    assert [(d.name, "possibly" in d.why) for d in found] == [
        ("public.f()", True),
        ("public.g()", True),
        ("public.h()", True),
    ]


def test_a_role_without_rights_sees_the_same(database: TestDatabase) -> None:
    role = database.create_role()
    database.connect().execute(CERTAIN["an alias"].encode())
    assert [d.name for d in scan(database, user=role)] == [d.name for d in scan(database)]


# -- what stands on views that are kept --


def standing_above(database: TestDatabase) -> dict[str, tuple[str, str]]:
    """Kind and reason of what stands on the views of the facts that can be kept, by name."""
    with session(database) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        kept, _ = keep(opened, table)
        found = above(opened, table, {view.oid for view in kept})
        assert all(d.blocks and d.definition and d.kept_view for d in found)
        assert len({d.name for d in found}) == len(found)
        return {d.name: (d.kind, d.why) for d in found}


PLAIN = "CREATE VIEW plain AS SELECT id, data_type FROM entity_facts"
MORE_THAN_SHOWN = {
    "SELECT id FROM plain WHERE data_type = 'identity'": "filters by {}",
    "SELECT p.data_type FROM plain AS p JOIN entities AS e ON e.type = p.data_type": "joins by {}",
    "SELECT a.id FROM plain AS a NATURAL JOIN plain AS b": "joins by {}",
    "SELECT data_type, count(*) FROM plain GROUP BY 1": "groups by {}",
    "SELECT id FROM plain ORDER BY data_type": "sorts by {}",
    "SELECT DISTINCT data_type FROM plain": "selects distinct rows by {}",
    "SELECT id, rank() OVER (ORDER BY data_type) FROM plain": "uses {} in a window",
    "SELECT upper(data_type) AS data_type FROM plain": "computes with {}",
    "SELECT id, EXISTS (SELECT FROM plain WHERE data_type = 'a') FROM entities": "uses {} in a subquery",
    "SELECT data_type FROM plain UNION ALL SELECT 'a'": (
        "combines {} with others by UNION, INTERSECT or EXCEPT"
    ),
    "SELECT p.kind FROM plain AS p (id, kind)": "may use by another name {}",
    "SELECT p.data_type, q.id FROM plain AS p JOIN plain AS q (id, kind) ON q.kind = 'a'": (
        "may use by another name {}"
    ),
    "SELECT data_type, p FROM plain AS p": "uses {} in whole rows",
}


def test_a_view_on_a_kept_one_is_told_that_does_more_than_to_show_the_column(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(PLAIN)
    expected = {}
    for number, (query, does) in enumerate(MORE_THAN_SHOWN.items()):
        conn.execute(f"CREATE VIEW v{number} AS {query}".encode())
        why = does.format("data_type of the kept view public.plain")
        expected[f"public.v{number}"] = ("view", f"it {why}")
    assert standing_above(each_database) == expected


def test_a_view_that_passes_the_column_on_is_followed_under_whatever_name_it_gives_it(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        PLAIN,
        'CREATE VIEW first AS SELECT data_type AS "Its Kind", id FROM plain WHERE id > 0',
        'CREATE VIEW second AS SELECT id, f."Its Kind" AS sort, f."Its Kind" AS "order"'
        " FROM first AS f",
        "CREATE VIEW third AS SELECT id FROM second WHERE sort <> ''",
        "CREATE VIEW beside AS SELECT id FROM second ORDER BY id",
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS"
        ' $f$SELECT count(*) FROM second WHERE "order" = $x$identity$x$$f$',
    ):
        conn.execute(statement.encode())
    assert standing_above(database) == {
        "public.third": (
            "view",
            "it filters by sort of public.second, from the kept view public.plain",
        ),
        "public.f()": (
            "function",
            "its body names order, which the kept view public.plain would compute",
        ),
    }


def test_all_but_views_on_a_kept_view_is_told_that_names_its_column(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        PLAIN,
        "CREATE MATERIALIZED VIEW stored AS SELECT data_type FROM plain",
        "CREATE TABLE log (kind text)",
        "CREATE RULE noted AS ON INSERT TO plain DO INSTEAD INSERT INTO log VALUES (new.data_type)",
        "CREATE POLICY p ON entities USING (EXISTS (SELECT FROM plain WHERE data_type = 'a'))",
        "CREATE FUNCTION named() RETURNS bigint LANGUAGE sql AS"
        " $$SELECT count(*) FROM plain WHERE data_type = 'identity'$$",
        "CREATE FUNCTION executed() RETURNS void LANGUAGE plpgsql AS"
        " $$BEGIN EXECUTE 'SELECT data_type FROM plain'; END$$",
        "CREATE VIEW rows AS SELECT to_jsonb(p) FROM plain AS p",
        "CREATE FUNCTION others() RETURNS text LANGUAGE sql AS"
        " 'SELECT e.name FROM plain AS p JOIN entities AS e USING (id)'",
        "CREATE FUNCTION unnamed() RETURNS void LANGUAGE plpgsql AS"
        " $$BEGIN EXECUTE 'SELECT data_type FROM ' || 'x'; END$$",
        "GRANT SELECT (data_type) ON plain TO mm_reader",
        "COMMENT ON COLUMN plain.data_type IS 'its kind'",
        "ALTER VIEW plain ALTER COLUMN data_type SET DEFAULT 'observation'",
    ):
        conn.execute(statement.encode())
    found = standing_above(database)
    assert {name: kind for name, (kind, _) in found.items()} == {
        "public.stored": "materialized view",
        "noted on public.plain": "rule",
        "p on public.entities": "policy",
        "public.named()": "function",
        "public.executed()": "function",
        "public.rows": "whole-row use",
    }
    assert all(
        why.endswith("the kept view public.plain would compute") for _, why in found.values()
    )


def test_what_stands_on_a_kept_view_blocks_where_it_is_to_be_kept(database: TestDatabase) -> None:
    conn = database.connect()
    for statement in (
        PLAIN,
        "CREATE VIEW passing AS SELECT id, data_type AS kind FROM plain",
        "CREATE VIEW filtering AS SELECT id FROM passing WHERE kind = 'identity'",
        # Can be kept for what it shows, but not for what it filters by.
        "CREATE VIEW mixed AS SELECT f.data_type FROM entity_facts AS f JOIN plain AS p USING (id)"
        " WHERE p.data_type = 'identity'",
        "CREATE FUNCTION of_plain() RETURNS bigint LANGUAGE sql AS"
        " $$SELECT count(*) FROM plain WHERE data_type = 'identity'$$",
        "CREATE FUNCTION of_both() RETURNS bigint LANGUAGE sql AS"
        " 'SELECT count(*) FROM plain AS p JOIN entity_facts AS f USING (data_type)'",
    ):
        conn.execute(statement.encode())
    with session(database) as opened:
        subject = Subject("public", "entity_facts")
        found = contract_dependents.read(opened, subject.resolve(opened))
    merging = "public.merge_facts(integer, integer)"
    let_through = contract_dependents.accepted(["of_plain", "merge_facts"], [found], [])
    assert let_through == {"public.of_plain()", merging}

    def blocking(*accepted: str, keep_views: bool) -> list[tuple[str, bool]]:
        blockers = contract_dependents.blockers(
            subject, found, frozenset(accepted), keep_views=keep_views
        )
        return [(b.name, b.keepable) for b in blockers]

    assert blocking(merging, keep_views=False) == [
        ("public.of_both()", False),
        ("public.delegation_knowledge", True),
        ("public.mixed", True),
        ("public.plain", True),
    ]
    assert blocking(*let_through, keep_views=True) == [
        ("public.of_both()", False),
        ("public.filtering", False),
        ("public.mixed", False),
    ]
    assert ("public.of_plain()", False) in blocking(keep_views=True)


def test_contract_keeps_a_view_once_what_stands_on_it_is_gone_or_accepted(
    database: TestDatabase,
) -> None:
    plain_database(database)
    conn = database.connect()
    for statement in (
        PLAIN,
        "CREATE VIEW filtering AS SELECT id FROM plain WHERE data_type = 'identity'",
        "CREATE FUNCTION of_plain() RETURNS bigint LANGUAGE sql AS"
        " $$SELECT count(*) FROM plain WHERE data_type = 'identity'$$",
    ):
        conn.execute(statement.encode())
    options = replace(EAGER, keep_dependents=True)
    refused = contracted(database, options)
    assert not refused.contracted
    assert [(b.kind, b.name, b.acceptable) for b in refused.blockers] == [
        ("function", "public.of_plain()", True),
        ("view", "public.filtering", False),
    ]
    assert refused.blockers[1].why == "it filters by data_type of the kept view public.plain"
    conn.execute("DROP VIEW filtering")
    done = contracted(database, replace(options, accept=("of_plain",)))
    assert done.contracted
    assert [view.name for view in done.kept_views] == ["public.plain"]
    assert written_down(conn).accepted == ("public.of_plain()",)


# -- functions that break when a column is added --


def breaking(database: TestDatabase, *ddl: str) -> list[RowReturning]:
    """The functions that return rows by a list of columns."""
    conn = database.connect()
    for statement in ddl:
        conn.execute(statement.encode())
    with session(database) as opened:
        table = relation.resolve(opened, "public", "small")
        return row_returning_with_column_list(opened, table)


SMALL = "CREATE TABLE small (id integer PRIMARY KEY, key text)"
ROWS = "CREATE FUNCTION f() RETURNS {} LANGUAGE {} AS $f$ {} $f$"
LISTS = {
    "sql": ROWS.format("SETOF small", "sql", "SELECT id, key FROM small"),
    "sql, one row": ROWS.format("small", "sql", "SELECT s.id, s.key FROM small AS s"),
    "sql, RETURNING": ROWS.format("small", "sql", "DELETE FROM small RETURNING id, key"),
    "sql, a row": ROWS.format("small", "sql", "SELECT ROW(1, 'a')::small"),
    "sql, a star over a list": ROWS.format(
        "SETOF small", "sql", "SELECT q.* FROM (SELECT id, key FROM small) AS q"
    ),
    "sql, WITH": ROWS.format(
        "SETOF small", "sql", "WITH q AS (SELECT id, key FROM small) SELECT * FROM q"
    ),
    "sql, UNION": ROWS.format("SETOF small", "sql", "SELECT * FROM small UNION ALL SELECT 1, 'a'"),
    "plpgsql": ROWS.format(
        "SETOF small", "plpgsql", "BEGIN RETURN QUERY SELECT id, key FROM small; END"
    ),
    "plpgsql, EXECUTE": ROWS.format(
        "SETOF small", "plpgsql", "BEGIN RETURN QUERY EXECUTE 'SELECT id, key FROM small'; END"
    ),
    "plpgsql, a row": ROWS.format("small", "plpgsql", "BEGIN RETURN ROW(1, 'a'::text); END"),
    "a parsed body": "CREATE FUNCTION f() RETURNS SETOF small BEGIN ATOMIC SELECT * FROM small; END",
}
STARS = {
    "sql": ROWS.format("SETOF small", "sql", "SELECT * FROM small"),
    "sql, the alias": ROWS.format("SETOF small", "sql", "SELECT s FROM small AS s"),
    "sql, RETURNING": ROWS.format("small", "sql", "DELETE FROM small RETURNING *"),
    "sql, WITH": ROWS.format(
        "SETOF small", "sql", "WITH q AS (DELETE FROM small RETURNING *) SELECT * FROM q"
    ),
    "plpgsql": ROWS.format(
        "SETOF small", "plpgsql", "BEGIN RETURN QUERY SELECT s.* FROM small AS s; END"
    ),
    "plpgsql, INTO": ROWS.format(
        "small",
        "plpgsql",
        "DECLARE r small; BEGIN SELECT id, key INTO r FROM small; RETURN r; END",
    ),
    "plpgsql, a loop": ROWS.format(
        "SETOF small",
        "plpgsql",
        "DECLARE r small; BEGIN FOR r IN SELECT * FROM small LOOP RETURN NEXT r; END LOOP; END",
    ),
}


@pytest.mark.parametrize("case", LISTS)
def test_rows_built_from_a_list_break_by_a_new_column(case: str, database: TestDatabase) -> None:
    (found,) = breaking(database, SMALL, LISTS[case])
    assert found.name == "public.f()"
    conn = database.connect()
    conn.execute("INSERT INTO small VALUES (1, 'a')")
    conn.execute("SELECT * FROM f()")
    conn.execute("INSERT INTO small VALUES (1, 'a') ON CONFLICT DO NOTHING")
    conn.execute("ALTER TABLE small ADD COLUMN other text")
    with pytest.raises(psycopg.Error):
        conn.execute("SELECT * FROM f()")


@pytest.mark.parametrize("case", STARS)
def test_rows_taken_whole_survive_a_new_column(case: str, database: TestDatabase) -> None:
    assert breaking(database, SMALL, STARS[case]) == []
    conn = database.connect()
    conn.execute("INSERT INTO small VALUES (1, 'a')")
    conn.execute("ALTER TABLE small ADD COLUMN other text")
    conn.execute("SELECT * FROM f()")


def test_no_function_of_the_reference_deployment_breaks(database: TestDatabase) -> None:
    with session(database) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        assert row_returning_with_column_list(opened, table) == []
