"""Views that outlive the retired column: replaced in place, and put back as they were."""

from __future__ import annotations

from typing import Any

import pytest

from memory_maintenance.audit.database import dependents
from memory_maintenance.database import relation
from memory_maintenance.migration.views import KeptView, UnkeptView, keep
from tests.support import legacy
from tests.support.migration import Connection, session
from tests.support.server import TestDatabase

DATA_TYPE_OF = """
CREATE SCHEMA IF NOT EXISTS memory_maintenance;
CREATE FUNCTION memory_maintenance.data_type_of(durability text, category text) RETURNS text
LANGUAGE sql IMMUTABLE AS $f$
    SELECT CASE
        WHEN $1 = 'permanent' THEN 'permanent'
        WHEN $1 IN ('short_term', 'ephemeral') THEN 'temporal'
        WHEN $2 = 'preference' THEN 'preference'
        ELSE 'observation'
    END
$f$;
"""
CLASSIFY = """
ALTER TABLE {0} ADD COLUMN IF NOT EXISTS durability varchar(20),
    ADD COLUMN IF NOT EXISTS category text;
UPDATE {0} SET
    durability = CASE data_type
        WHEN 'permanent' THEN 'permanent' WHEN 'temporal' THEN 'short_term' ELSE 'long_term'
    END,
    category = CASE data_type WHEN 'preference' THEN 'preference' ELSE 'observation' END;
"""
ROWS: dict[str | None, int] = {"permanent": 2, "preference": 3, "temporal": 2, "observation": 4}
"""Of each value that is computed from the axes."""


def keeping(
    database: TestDatabase, table: tuple[str, str] = ("public", "entity_facts"), **connect: Any
) -> tuple[list[KeptView], list[UnkeptView]]:
    """The views to keep and those that can't be."""
    with session(database, **connect) as opened:
        return keep(opened, relation.resolve(opened, *table))


def only(database: TestDatabase, name: str, **more: Any) -> KeptView:
    """The one view of that name, which can be kept."""
    kept, unkept = keeping(database, **more)
    (view,) = (view for view in kept if view.name == name)
    assert name not in [view.name for view in unkept]
    return view


def reason(database: TestDatabase, name: str = "public.v", **more: Any) -> str:
    """Why the view of that name can't be kept."""
    kept, unkept = keeping(database, **more)
    assert name not in [view.name for view in kept]
    (view,) = (view for view in unkept if view.name == name)
    return view.reason


def facts(conn: Connection) -> None:
    """Rows of each kind, with entities, in the facts table."""
    entity = legacy.entity(conn, "nova", "ai")
    for kind, ids in legacy.legacy(conn, ROWS).items():
        conn.execute(
            "UPDATE entity_facts SET entity_id = %s, value = concat(value, ' 50%% Zürich')"
            " WHERE id = ANY (%s)",
            [entity if kind != "temporal" else None, ids],
        )
    conn.execute("UPDATE entity_facts SET key = 'routing_hint' WHERE id %% 2 = 0", [])


def state(conn: Connection, name: str) -> list[Any]:
    """All about a view but its query: oid, owner, grants, options, comments, columns, what stands on it."""
    row = conn.execute(
        """
        SELECT c.oid, c.relowner::regrole::text, c.relacl::text, c.reloptions,
            obj_description(c.oid, 'pg_class'),
            (
                SELECT array_agg(concat_ws(' ', a.attnum, a.attname,
                    format_type(a.atttypid, a.atttypmod), a.attcollation, a.attacl,
                    col_description(a.attrelid, a.attnum), pg_get_expr(d.adbin, d.adrelid))
                    ORDER BY a.attnum)
                FROM pg_attribute AS a
                LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                WHERE a.attrelid = c.oid
            ),
            (SELECT array_agg(pg_get_triggerdef(t.oid)) FROM pg_trigger AS t WHERE t.tgrelid = c.oid),
            (
                SELECT array_agg(DISTINCT pg_get_viewdef(r.ev_class))
                FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
                WHERE d.refobjid = c.oid AND r.ev_class <> c.oid
            )
        FROM pg_class AS c WHERE c.oid = %s::regclass
        """,
        [name],
    ).fetchone()
    assert row is not None
    return list(row)


def query(conn: Connection, name: str) -> str:
    row = conn.execute("SELECT pg_get_viewdef(%s::regclass)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def contents(conn: Connection, name: str) -> list[Any]:
    return conn.execute(f"SELECT v::text FROM {name} AS v ORDER BY 1".encode()).fetchall()


def prove(
    database: TestDatabase, name: str, table: tuple[str, str] = ("public", "entity_facts")
) -> KeptView:
    """Replace the view and put it back, and see that nobody could tell but by its query."""
    conn = database.connect()
    qualified = relation.qualified_name(*table)
    # Once by itself: PostgreSQL spells some conditions differently after a round.
    view = only(database, name, table=table)
    conn.execute(view.former.encode())
    view = only(database, name, table=table)
    before = state(conn, name), query(conn, name), contents(conn, name)
    conn.execute(DATA_TYPE_OF.encode())
    conn.execute(CLASSIFY.format(qualified).encode())
    assert only(database, name, table=table).statement == view.statement
    conn.execute(view.statement.encode())
    assert (state(conn, name), contents(conn, name)) == (before[0], before[2])
    assert before[2], "no row shows nothing"
    with session(database) as opened:
        found = dependents(opened, relation.resolve(opened, *table))
    assert name not in [d.name for d in found]
    conn.execute(view.former.encode())
    assert (state(conn, name), query(conn, name), contents(conn, name)) == before
    return view


SHAPES = {
    "bare": "SELECT id, data_type, value FROM entity_facts",
    "an output name": "SELECT data_type AS kind FROM entity_facts",
    "twice": 'SELECT data_type, id, data_type AS "Again" FROM entity_facts',
    "another name for another column": "SELECT key AS data_type, data_type AS key FROM entity_facts",
    "a join": "SELECT e.name, f.data_type, e.id FROM entities AS e JOIN entity_facts AS f"
    " ON f.entity_id = e.id",
    "an outer join": "SELECT f.id, f.data_type, e.name FROM entity_facts AS f"
    " LEFT JOIN entities AS e ON e.id = f.entity_id",
    "the table twice": "SELECT f.data_type, g.data_type AS other FROM entity_facts AS f"
    " JOIN entity_facts AS g ON g.id = f.id + 1",
    "letters beyond ASCII": 'SELECT \'Zürich – “é” 𝄞\'::text AS "Größe", "Ƒ".data_type AS "Тип",'
    " 'ß' || value AS ß FROM entity_facts AS \"Ƒ\" WHERE value <> '日本'",
    "quoted names": 'SELECT "my ""Facts""".data_type AS "a ""b""", id'
    ' FROM entity_facts AS "my ""Facts"""',
    "percent signs and braces": "SELECT data_type, '{%s} 100%'::text AS x FROM entity_facts"
    " WHERE value LIKE '%50\\%%'",
    "another table's column in its conditions": "SELECT f.data_type, e.data_type AS was"
    " FROM entity_facts AS f LEFT JOIN entity_facts_archive AS e"
    " ON e.id = f.id AND e.data_type = 'x' WHERE e.data_type IS NULL",
    "a subquery about something else": "SELECT f.data_type, (SELECT count(*) FROM entities) AS n,"
    " EXISTS (SELECT FROM entity_facts AS g WHERE g.id > f.id) AS more FROM entity_facts AS f",
    "a lateral query": "SELECT f.data_type, x.n FROM entity_facts AS f,"
    " LATERAL (SELECT count(*) AS n FROM entities AS e WHERE e.id = f.entity_id) AS x",
    "groups by the key": "SELECT f.id, f.data_type, count(e.id) AS n FROM entity_facts AS f"
    " LEFT JOIN entities AS e ON e.id = f.entity_id GROUP BY f.id",
    "an order and a limit": "SELECT data_type, id FROM entity_facts ORDER BY id DESC LIMIT 5",
    "a window over others": "SELECT data_type, row_number() OVER (ORDER BY id) FROM entity_facts",
    "a WITH query about something else": "WITH e AS (SELECT id FROM entities)"
    " SELECT f.data_type, f.id FROM entity_facts AS f JOIN e ON e.id = f.entity_id",
    "a sample": "SELECT f.data_type FROM entity_facts AS f TABLESAMPLE SYSTEM (100)",
    "locks": "SELECT data_type FROM entity_facts FOR UPDATE",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_is_kept_that_shows_the_column_with(shape: str, database: TestDatabase) -> None:
    conn = database.connect()
    facts(conn)
    conn.execute(f"CREATE VIEW v AS {SHAPES[shape]}".encode())
    prove(database, "public.v")


def test_the_reference_deployment_s_view_is_kept_with_everything_on_it(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    facts(conn)
    conn.execute("UPDATE entity_facts SET entity_id = 1")
    for statement in (
        f"ALTER VIEW delegation_knowledge OWNER TO {legacy.OWNER}",
        f"GRANT SELECT ON entity_facts TO {legacy.OWNER}",
        f"GRANT UPDATE (key) ON delegation_knowledge TO {legacy.READER} WITH GRANT OPTION",
        "COMMENT ON COLUMN delegation_knowledge.data_type IS 'it''s old'",
        "ALTER VIEW delegation_knowledge ALTER COLUMN data_type SET DEFAULT 'observation'",
        "CREATE VIEW above AS SELECT data_type, count(*) FROM delegation_knowledge GROUP BY 1",
        "CREATE MATERIALIZED VIEW stored AS SELECT * FROM delegation_knowledge",
        "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER t INSTEAD OF UPDATE ON delegation_knowledge"
        " FOR EACH ROW EXECUTE FUNCTION quiet()",
    ):
        conn.execute(statement.encode())
    view = prove(each_database, "public.delegation_knowledge")
    assert view.depth == 0
    assert (view.schema, view.relname) == ("public", "delegation_knowledge")


def test_options_are_restated(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    facts(conn)
    options = "security_barrier, check_option = local"
    if each_database.version >= 150000:
        options += ", security_invoker = on"
    conn.execute(
        f"CREATE VIEW v WITH ({options}) AS SELECT id, key, value, data_type FROM entity_facts"
        " WHERE id > 0".encode()
    )
    view = prove(each_database, "public.v")
    assert "check_option = 'local'" in view.statement
    conn.execute(view.statement.encode())
    conn.execute("INSERT INTO v (id, key, value) VALUES (1000, 'a', 'b')")
    assert ("observation",) in conn.execute("SELECT data_type FROM v WHERE id = 1000").fetchall()


@pytest.mark.parametrize(
    "column_type",
    ["text", "varchar", "varchar(12)", "character(12)", "name", 'text COLLATE "C"', "citext_like"],
)
def test_the_column_s_type_and_collation_are_kept_in_a_table_anywhere(
    column_type: str, database: TestDatabase
) -> None:
    conn = database.connect()
    conn.execute('CREATE SCHEMA "My Facts"')
    if column_type == "citext_like":
        conn.execute('CREATE COLLATION "My Facts"."Odd" FROM "C"')
        column_type = 'varchar(20) COLLATE "My Facts"."Odd"'
    conn.execute(
        f'CREATE TABLE "My Facts"."Entity Facts"'
        f" (id serial PRIMARY KEY, data_type {column_type})".encode()
    )
    conn.execute(
        """
        INSERT INTO "My Facts"."Entity Facts" (data_type)
        VALUES ('permanent'), ('temporal'), ('preference'), ('observation')
        """
    )
    conn.execute(
        'CREATE VIEW "My Facts"."The View" AS SELECT "f f".data_type AS "Kind", "f f".id'
        ' FROM "My Facts"."Entity Facts" AS "f f"'
    )
    prove(database, '"My Facts"."The View"', ("My Facts", "Entity Facts"))


def test_a_column_renamed_in_the_view_keeps_that_name(database: TestDatabase) -> None:
    conn = database.connect()
    facts(conn)
    conn.execute("CREATE VIEW v AS SELECT * FROM entity_facts")
    conn.execute("ALTER VIEW v RENAME COLUMN data_type TO kind")
    conn.execute("ALTER TABLE entity_facts RENAME COLUMN source TO origin")
    prove(database, "public.v")


def test_a_view_s_reader_needs_no_right_to_our_schema(database: TestDatabase) -> None:
    conn = database.connect()
    facts(conn)
    conn.execute("UPDATE entity_facts SET entity_id = 1")
    view = prove(database, "public.delegation_knowledge")
    conn.execute(view.statement.encode())
    conn.execute(f"SET ROLE {legacy.AGENT}".encode())
    assert contents(conn, "public.delegation_knowledge")


UNKEPT = {
    "filters by it": [
        "SELECT data_type FROM entity_facts WHERE data_type <> 'identity'",
    ],
    "joins by it": [
        "SELECT f.data_type FROM entity_facts AS f JOIN entity_facts_archive AS a ON"
        " a.data_type = f.data_type",
        "SELECT data_type FROM entity_facts JOIN entity_facts_archive USING (data_type)",
        "SELECT f.data_type FROM entity_facts AS f NATURAL JOIN entity_facts_archive AS a",
    ],
    "groups by it": [
        "SELECT data_type, count(*) FROM entity_facts GROUP BY data_type",
    ],
    "filters groups by it": [
        "SELECT id FROM entity_facts GROUP BY id HAVING data_type <> 'a'",
    ],
    "sorts by it": [
        "SELECT data_type FROM entity_facts ORDER BY data_type",
        "SELECT data_type AS kind FROM entity_facts ORDER BY data_type",
        "SELECT data_type AS kind FROM entity_facts ORDER BY kind",
        "SELECT f.id FROM entity_facts AS f, entities AS e ORDER BY f.data_type",
    ],
    "selects distinct rows": [
        "SELECT DISTINCT data_type FROM entity_facts",
        "SELECT DISTINCT ON (entity_id) data_type FROM entity_facts",
        "SELECT DISTINCT id, data_type FROM entity_facts",
    ],
    "uses it in a window": [
        "SELECT data_type, rank() OVER (PARTITION BY data_type) FROM entity_facts",
        "SELECT id, rank() OVER w FROM entity_facts WINDOW w AS (ORDER BY data_type)",
    ],
    "uses it in an expression": [
        "SELECT upper(data_type) AS data_type FROM entity_facts",
        "SELECT data_type::text FROM entity_facts",
        "SELECT max(data_type) FROM entity_facts",
        "SELECT CASE WHEN data_type = 'a' THEN id END AS id FROM entity_facts",
    ],
    "uses it in a subquery": [
        "SELECT q.data_type FROM (SELECT data_type FROM entity_facts) AS q",
        "SELECT e.id, (SELECT max(f.data_type) FROM entity_facts AS f) FROM entities AS e",
        "SELECT f.data_type, (SELECT count(*) FROM entities AS e WHERE e.name ="
        " f.data_type) FROM entity_facts AS f",
    ],
    "uses it in a WITH query": [
        "WITH q AS MATERIALIZED (SELECT data_type FROM entity_facts) SELECT data_type FROM q",
    ],
    "combines queries by UNION, INTERSECT or EXCEPT": [
        "SELECT data_type FROM entity_facts UNION ALL SELECT data_type FROM entity_facts_archive",
    ],
    "uses it in FROM": [
        "SELECT f.id, x.word FROM entity_facts AS f, unnest(ARRAY[f.data_type]) AS x (word)",
    ],
    "uses whole rows of the table, too": [
        "SELECT data_type, to_jsonb(f) FROM entity_facts AS f",
    ],
}


def test_a_view_that_does_more_than_to_show_the_column_is_told_with_the_reason(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    expected: dict[str, str] = {}
    for why, queries in UNKEPT.items():
        for query_text in queries:
            name = f"v{len(expected)}"
            conn.execute(f"CREATE VIEW {name} AS {query_text}".encode())
            expected[f"public.{name}"] = why
    kept, unkept = keeping(database)
    assert [view.name for view in kept] == ["public.delegation_knowledge"]
    assert {view.name: view.reason for view in unkept} == expected


def test_a_view_with_names_of_its_own_for_the_table_s_columns_is_left_alone(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("CREATE TABLE few (id integer PRIMARY KEY, data_type text)")
    conn.execute("CREATE VIEW v AS SELECT f.kind FROM few AS f (id, kind)")
    conn.execute("CREATE VIEW w AS SELECT f.data_type FROM few AS f (number)")
    with session(database) as opened:
        kept, unkept = keep(opened, relation.resolve(opened, "public", "few"))
    assert kept == []
    assert [view.reason for view in unkept] == ["gives the table's columns other names"] * 2


@pytest.mark.parametrize(
    ("column_type", "why"),
    [
        ("integer", "shows it as integer, which not every text fits"),
        ("public.kind", "shows it as public.kind, which not every text fits"),
        ("public.short", "shows it as public.short, which not every text fits"),
        (
            "varchar(10)",
            "shows it as character varying(10), too short for what would be computed",
        ),
    ],
)
def test_a_type_that_no_computed_text_fits_is_told(
    column_type: str, why: str, database: TestDatabase
) -> None:
    conn = database.connect()
    conn.execute("CREATE TYPE kind AS ENUM ('permanent')")
    conn.execute("CREATE DOMAIN short AS text CHECK (length(VALUE) < 5)")
    conn.execute(f"CREATE TABLE t (id integer PRIMARY KEY, data_type {column_type})".encode())
    conn.execute("CREATE VIEW v AS SELECT data_type FROM t")
    assert reason(database, table=("public", "t")) == why


def test_a_query_nested_too_deeply_is_left_alone(database: TestDatabase) -> None:
    chain = " || ".join(["value"] * 200)
    database.connect().execute(
        f"CREATE VIEW v AS SELECT data_type, {chain} AS x FROM entity_facts".encode()
    )
    assert reason(database) == "has a query that is nested too deeply to be read"


def test_views_of_others_are_left_to_them(database: TestDatabase) -> None:
    conn = database.connect()
    role = database.create_role()
    conn.execute(f"GRANT CREATE ON SCHEMA public TO {role}".encode())
    conn.execute(f"ALTER TABLE entity_facts OWNER TO {role}".encode())
    conn.execute(f"ALTER VIEW delegation_knowledge OWNER TO {legacy.OWNER}".encode())
    name = "public.delegation_knowledge"
    rights = f"belongs to {legacy.OWNER}, whose rights this role doesn't have"
    assert reason(database, name, user=role) == rights
    conn.execute(f"ALTER VIEW delegation_knowledge OWNER TO {role}".encode())
    assert only(database, name, user=role)
    conn.execute(f"REVOKE CREATE ON SCHEMA public FROM {role}".encode())
    conn.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    assert (
        reason(database, name, user=role) == "is in schema public, where this role may not create"
    )
    conn.execute(f"REASSIGN OWNED BY {role} TO CURRENT_USER".encode())


def test_a_view_whose_owner_may_read_the_old_columns_only_is_left_alone(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute(f"GRANT SELECT (id, data_type) ON entity_facts TO {legacy.OWNER}".encode())
    conn.execute("CREATE VIEW v AS SELECT id, data_type FROM entity_facts")
    conn.execute(f"ALTER VIEW v OWNER TO {legacy.OWNER}".encode())
    assert reason(database) == (
        f"belongs to {legacy.OWNER}, who may not read durability and category of public.entity_facts"
    )
    conn.execute(CLASSIFY.format("entity_facts").encode())
    conn.execute(f"GRANT SELECT (durability, category) ON entity_facts TO {legacy.OWNER}".encode())
    assert only(database, "public.v")


def test_a_temporary_view_is_left_alone(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("CREATE TEMP VIEW mine AS SELECT data_type FROM entity_facts")
    _, unkept = keeping(database)
    assert [view.reason for view in unkept] == ["is a temporary view of somebody's session"]


def test_a_materialized_view_is_none_of_them(database: TestDatabase) -> None:
    database.connect().execute("CREATE MATERIALIZED VIEW m AS SELECT data_type FROM entity_facts")
    kept, unkept = keeping(database)
    assert [view.name for view in kept] == ["public.delegation_knowledge"]
    assert unkept == []


def test_a_view_is_the_deeper_the_more_kept_ones_it_stands_on(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    for statement in (
        "CREATE VIEW one AS SELECT id, data_type FROM entity_facts",
        "CREATE VIEW two AS SELECT o.id, f.data_type FROM one AS o JOIN entity_facts AS f USING (id)",
        "CREATE MATERIALIZED VIEW between AS SELECT * FROM two",
        "CREATE VIEW three AS SELECT * FROM between",
        "CREATE VIEW beside AS SELECT * FROM v_entity_facts",
    ):
        conn.execute(statement.encode())
    with session(each_database) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        kept, unkept = keep(opened, table)
    assert [(view.relname, view.depth) for view in kept] == [
        ("delegation_knowledge", 0),
        ("one", 0),
        ("two", 1),
    ]
    assert unkept == []
    conn.execute(DATA_TYPE_OF.encode())
    conn.execute(CLASSIFY.format("entity_facts").encode())
    for view in kept:
        conn.execute(view.statement.encode())
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type")
    conn.execute("REFRESH MATERIALIZED VIEW between")


def test_a_view_of_the_archive_is_kept_too(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts_archive ADD PRIMARY KEY (id)")
    conn.execute("INSERT INTO entity_facts_archive (id, data_type) VALUES (1, 'permanent')")
    conn.execute(
        "CREATE VIEW v AS SELECT a.id, a.data_type, f.data_type AS now FROM entity_facts_archive AS a"
        " LEFT JOIN entity_facts AS f USING (id)"
    )
    view = prove(database, "public.v", ("public", "entity_facts_archive"))
    assert "f.data_type AS now" in view.statement


def test_views_of_partitions_are_kept(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute(
        """
        CREATE TABLE parts (id integer PRIMARY KEY, data_type text) PARTITION BY RANGE (id);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
        CREATE VIEW v AS SELECT p.data_type FROM parts_1 AS p;
        INSERT INTO parts VALUES (1, 'permanent');
        """
    )
    prove(database, "public.v", ("public", "parts"))
