"""What an audit of a database finds: one object of every kind, and none of those that look like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.catalog import DatabaseFinding, database_findings
from memory_maintenance.audit.database import dependents
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.database import relation
from memory_maintenance.model.mapping import TypeMap
from tests.support.migration import configuration, session
from tests.support.server import TestDatabase, TestServer, fresh_database, legacy_template

SUPPORT = Path(__file__).parents[1] / "support"
BOTH = Subject("data_type", (TableName("", "entity_facts"), TableName("", "entity_facts_archive")))
FACTS = "public.entity_facts"

CERTAIN = {
    # the deployment's own
    "view": [
        "public.delegation_knowledge",
        # of the table
        "reads.archived",
        "reads.by_kind",
        "reads.everywhere",
        "reads.inside",
        "reads.kinds",
        "reads.recursive",
        # of those
        "further.filtered",
        "further.of_archived",
        "further.of_counts",
        "further.of_everywhere",
        "further.of_inside",
        "further.of_recursive",
        "further.shown_again",
    ],
    "materialized view": ["reads.counts", "further.stored"],
    "rule": [f"noted on {FACTS}", "passed_on on public.log"],
    "index": [
        "public.idx_entity_facts_data_type",
        "public.of_identities",
        "public.of_lowered",
        "reads.counts_kind",
    ],
    "constraint": [
        f"chk_data_type on {FACTS}",
        f"two on {FACTS}",
        f"once on {FACTS}",
        f"known on {FACTS}",
    ],
    "policy": [f"seen on {FACTS}", "beside on public.entities"],
    "generated column": [f"stored_kind on {FACTS}", f"virtual_kind on {FACTS}"],
    "default": [f"data_type on {FACTS}", "kind on reads.kinds"],
    "statistics": ["public.together"],
    "publication": [f"listed on {FACTS}", f"filtered on {FACTS}"],
    "trigger": [f"of_it on {FACTS}", f"when_it on {FACTS}"],
    "column grant": [f"PUBLIC on {FACTS}", f"mm_reader on {FACTS}"],
    "comment": [
        f"data_type on {FACTS}",
        "data_type on public.entity_facts_archive",
        "kind on reads.kinds",
    ],
    "security label": [f"data_type on {FACTS}"],
    "function": [
        "reads.in_sql()",
        "reads.in_plpgsql()",
        "reads.atomic(integer)",
        "reads.of_view()",
        "reads.of_archive()",
        "reads.on_ddl()",
    ],
    "procedure": ["reads.away()", "reads.moved()"],
    "pg_cron job": ["1 (forget)", "2", "4 (by a view)", "5 (copied)"],
}
LIKELY = {
    "trigger": [f"told_it on {FACTS}"],
    "foreign table": ["far.facts"],
    "view": ["far.on_facts"],
}
POSSIBLE = {
    "function": ["reads.executed()", "reads.formatted(text)"],
    "pg_cron job": ["3 (put together)"],
    "foreign table": ["far.entity_facts_archive", "far.mirrored"],
}
WHOLE_ROWS = {
    "function public.merge_facts(integer, integer)",
    "function public.is_sound(public.entity_facts)",
    "function reads.atomic_rows()",
    "function reads.every_row()",
    "pg_cron job 6 (exported)",
    "view reads.as_json",
    "column public.kept.fact",
    "domain public.sound",
    f"constraint whole on {FACTS}",
    "index public.of_sound",
    f"policy of_row on {FACTS}",
    f"trigger when_row on {FACTS}",
}


def findings(
    database: TestDatabase,
    subject: Subject = BOTH,
    schema: str = "public",
    **connect: Any,
) -> list[DatabaseFinding]:
    """What the audit says of the database."""
    with session(database, **connect) as opened:
        return database_findings(opened, schema, subject)


def brief(found: Sequence[DatabaseFinding]) -> set[tuple[str, str, Confidence]]:
    """Object, kind and confidence of each."""
    return {(f.object, f.kind, f.confidence) for f in found}


def expected() -> set[tuple[str, str, Confidence]]:
    """The same of the audited catalog, as its objects are named."""
    named = (
        (Confidence.CERTAIN, CERTAIN),
        (Confidence.LIKELY, LIKELY),
        (Confidence.POSSIBLE, POSSIBLE),
    )
    objects = {
        (f"{kind} {name}", kind, confidence)
        for confidence, kinds in named
        for kind, names in kinds.items()
        for name in names
    }
    return objects | {(name, "whole-row use", Confidence.LIKELY) for name in WHOLE_ROWS}


def without_jobs() -> set[tuple[str, str, Confidence]]:
    """What is found where no job can be read."""
    return {one for one in expected() if not one[0].startswith("pg_cron job")}


def made(database: TestDatabase, *scripts: str) -> TestDatabase:
    """The database, with scripts of tests/support run in it."""
    conn = database.connect()
    for script in scripts:
        with conn.transaction():
            text = (SUPPORT / script).read_text()
            if conn.info.server_version < 180000:  # which knows no virtual columns
                text = text.replace(" VIRTUAL;", " STORED;")
            conn.execute(text.encode())
    return database


@pytest.fixture
def audited(server: TestServer) -> Iterator[TestDatabase]:
    """A database that has an object of every kind, and a decoy of each."""
    with fresh_database(server, audited_template(server)) as fresh:
        with server.connect(fresh.name) as conn:  # what tells this database from others by its name
            conn.execute(f"ALTER SERVER here OPTIONS (SET dbname '{fresh.name}')".encode())
            conn.execute(
                "UPDATE cron.job SET database = current_database() WHERE database <> 'reports'"
            )
        yield fresh


def audited_template(server: TestServer) -> str:
    """The name of such a database, for copies."""
    return server.template(
        "audited",
        lambda database: made(database, "audited_catalog.sql", "audited_decoys.sql"),
        base=legacy_template(server),
    )


# -- all kinds --


def test_an_object_of_every_kind_is_found_and_nothing_else(audited: TestDatabase) -> None:
    found = findings(audited)
    assert brief(found) == expected()
    assert len({f.object for f in found}) == len(found)
    assert [f.object for f in found if not f.definition or not f.why] == []
    assert found == sorted(found, key=lambda f: (f.kind, f.object))


def test_the_scan_of_contract_finds_no_object_that_the_audit_does_not(
    audited: TestDatabase,
) -> None:
    with session(audited) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        contract = {d.label for d in dependents(opened, table)}
    assert contract <= {f.object for f in findings(audited)}


def test_a_view_on_a_view_is_told_by_what_it_reads_of_the_table(audited: TestDatabase) -> None:
    why = {f.object: f.why for f in findings(audited)}
    assert why["view further.shown_again"] == (
        "its query names kind; reads.kinds shows data_type of public.entity_facts as kind"
    )
    assert why["view further.filtered"] == (
        "its query names what; further.shown_again shows kind of reads.kinds as what,"
        " which is data_type of public.entity_facts"
    )
    assert why["view far.on_facts"] == (
        "its query names kind; far.facts stands for public.entity_facts"
    )
    assert why["view further.of_counts"] == (
        "its query names data_type; reads.counts shows data_type of public.entity_facts"
    )


def test_definitions_are_sql(audited: TestDatabase) -> None:
    definition = {f.object: f.definition for f in findings(audited)}
    assert definition["pg_cron job 1 (forget)"] == (
        "SELECT cron.schedule('forget', '0 3 * * *',"
        " 'DELETE FROM public.entity_facts WHERE data_type = ''temporal''')"
    )
    assert definition["foreign table far.facts"] == (
        "CREATE FOREIGN TABLE far.facts (kind text OPTIONS (column_name 'data_type'), ...)"
        " SERVER here OPTIONS (schema_name 'public', table_name 'entity_facts')"
    )
    assert definition["column grant PUBLIC on public.entity_facts"] == (
        "GRANT SELECT (data_type) ON public.entity_facts TO PUBLIC"
    )


# -- which tables --


def test_a_table_named_alone_is_looked_at_alone(audited: TestDatabase) -> None:
    archive = Subject("data_type", (TableName("public", "entity_facts_archive"),))
    assert brief(findings(audited, archive)) >= {
        ("view reads.archived", "view", Confidence.CERTAIN),
        ("view further.of_archived", "view", Confidence.CERTAIN),
        ("view reads.everywhere", "view", Confidence.CERTAIN),
        ("function reads.of_archive()", "function", Confidence.CERTAIN),
        ("column public.kept.fact", "whole-row use", Confidence.LIKELY),
    }
    assert "view reads.by_kind" not in {f.object for f in findings(audited, archive)}


def test_a_table_without_a_schema_is_that_beside_the_configured_one_or_any_other(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        "CREATE SCHEMA one",
        "CREATE TABLE public.notes (data_type text)",
        "CREATE TABLE one.notes (data_type text)",
        "CREATE TABLE one.lists (data_type text)",
        "CREATE INDEX here ON public.notes (data_type)",
        "CREATE INDEX there ON one.notes (data_type)",
        "CREATE INDEX elsewhere ON one.lists (data_type)",
    ):
        conn.execute(statement.encode())
    subject = Subject("data_type", (TableName("", "notes"), TableName("", "lists")))
    assert [f.object for f in findings(database, subject)] == [
        "index one.elsewhere",
        "index public.here",
    ]
    of_one = Subject("data_type", (TableName("one", "notes"),))
    assert [f.object for f in findings(database, of_one)] == ["index one.there"]


def test_another_column_is_looked_for_likewise(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("CREATE VIEW v AS SELECT id FROM entity_facts WHERE vote_count > 1")
    found = findings(database, Subject("vote_count", (TableName("", "entity_facts"),)))
    assert {f.object for f in found} == {
        "comment vote_count on public.entity_facts",
        "default vote_count on public.entity_facts",
        "function public.merge_facts(integer, integer)",
        "index public.idx_entity_facts_vote_count",
        "view public.v",
    }


def test_functions_outlive_the_column_and_whole_rows_do_not_matter_without_it(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS"
        " $$SELECT count(*) FROM public.entity_facts WHERE data_type = 'identity'$$",
        "CREATE VIEW v AS SELECT to_jsonb(f) AS fact FROM entity_facts AS f",
        "ALTER TABLE entity_facts DROP COLUMN data_type CASCADE",
        "DROP TABLE entity_facts_archive",
    ):
        conn.execute(statement.encode())
    assert brief(findings(database)) == {("function public.f()", "function", Confidence.CERTAIN)}


def test_a_function_that_gets_the_rows_from_another_function_is_likely(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        "CREATE FUNCTION giving() RETURNS SETOF entity_facts LANGUAGE sql AS"
        " $$SELECT * FROM entity_facts$$",
        "CREATE FUNCTION of_sql() RETURNS SETOF text LANGUAGE sql AS"
        " $$SELECT data_type FROM public.giving()$$",
        "CREATE FUNCTION of_loop() RETURNS void LANGUAGE plpgsql AS $$DECLARE r record; BEGIN"
        " FOR r IN SELECT * FROM giving() LOOP RAISE NOTICE '%', r.data_type; END LOOP; END$$",
        "CREATE FUNCTION other() RETURNS TABLE (data_type text) LANGUAGE sql AS $$SELECT 'x'$$",
        "CREATE FUNCTION of_other() RETURNS SETOF text LANGUAGE sql AS"
        " $$SELECT data_type FROM public.other() /* not giving() */$$",
        "CREATE VIEW of_giving AS SELECT data_type FROM giving()",
    ):
        conn.execute(statement.encode())
    found = {f.object: f.confidence for f in findings(database)}
    assert found["function public.of_sql()"] is Confidence.LIKELY
    assert found["function public.of_loop()"] is Confidence.LIKELY
    assert found["view public.of_giving"] is Confidence.CERTAIN
    assert found.get("function public.of_other()", Confidence.POSSIBLE) is Confidence.POSSIBLE


def test_what_goes_with_the_column_by_itself_is_told_apart(audited: TestDatabase) -> None:
    owned = {f.object for f in findings(audited) if f.owned}
    assert owned >= {
        f"default data_type on {FACTS}",
        f"comment data_type on {FACTS}",
        f"constraint chk_data_type on {FACTS}",
        "index public.idx_entity_facts_data_type",
    }
    assert not any(one.startswith(("view", "function", "generated", "trigger")) for one in owned)
    # Of a view that shows it the default stays.
    assert "default kind on reads.kinds" not in owned


def test_a_table_that_is_absent_has_no_findings(database: TestDatabase) -> None:
    assert findings(database, Subject("data_type", (TableName("", "nowhere"),))) == []


def test_what_a_table_is_made_of_is_found(database: TestDatabase) -> None:
    conn = database.connect()
    for statement in (
        "CREATE TABLE parent (data_type text)",
        "CREATE TABLE child () INHERITS (parent)",
        "CREATE TYPE made AS (data_type text)",
        "CREATE TABLE typed OF made",
        "CREATE TABLE parted (data_type text, id integer) PARTITION BY LIST (data_type)",
        "CREATE FOREIGN DATA WRAPPER w",
        "CREATE SERVER s FOREIGN DATA WRAPPER w",
        "CREATE FOREIGN TABLE part PARTITION OF parted FOR VALUES IN ('a') SERVER s",
        "CREATE TABLE other_parted (data_type text, id integer) PARTITION BY LIST (data_type)",
        "CREATE FOREIGN TABLE other_part PARTITION OF other_parted FOR VALUES IN ('a') SERVER s",
    ):
        conn.execute(statement.encode())
    tables = tuple(TableName("public", name) for name in ("child", "typed", "parted"))
    assert brief(findings(database, Subject("data_type", tables))) == {
        ("parent table public.parent", "parent table", Confidence.CERTAIN),
        ("composite type public.made", "composite type", Confidence.CERTAIN),
        ("partition key public.parted", "partition key", Confidence.CERTAIN),
        ("foreign table public.part", "foreign table", Confidence.CERTAIN),
    }


# -- read only --


def test_nothing_is_written(audited: TestDatabase) -> None:
    read_only: dict[str, Any] = {"options": "-c default_transaction_read_only=on"}
    assert brief(findings(audited, **read_only)) == expected()


def test_it_reads_within_a_transaction_that_is_open(audited: TestDatabase) -> None:
    with session(audited) as opened, opened.snapshot():
        found = database_findings(opened, "public", BOTH)
        setting = opened.connection.execute("SHOW row_security").fetchone()
    assert brief(found) == expected()
    assert setting == ("off",)


def test_a_role_that_may_only_read_sees_the_same_but_for_others_jobs(audited: TestDatabase) -> None:
    role = audited.create_role()
    conn = audited.connect()
    conn.execute("UPDATE cron.job SET username = %s WHERE jobid IN (1, 12)", [role])
    read_only: dict[str, Any] = {"options": "-c default_transaction_read_only=on"}
    visible = {one for one in expected() if one[0] == "pg_cron job 1 (forget)"}
    found = brief(findings(audited, user=role, **read_only))
    assert found == without_jobs() | visible


# -- pg_cron, or what goes by its name --


@pytest.mark.parametrize(
    "statement",
    ["REVOKE ALL ON SCHEMA cron FROM PUBLIC", "REVOKE ALL ON cron.job FROM PUBLIC"],
)
def test_a_list_of_jobs_that_a_role_may_not_read_is_passed_over(
    statement: str, audited: TestDatabase
) -> None:
    role = audited.create_role()
    audited.connect().execute(statement.encode())
    assert brief(findings(audited, user=role)) == without_jobs()


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE cron.job",
        "DROP SCHEMA cron CASCADE",
        "ALTER TABLE cron.job RENAME COLUMN command TO commands",
        "ALTER TABLE cron.job ALTER COLUMN command TYPE text[] USING ARRAY[command]",
    ],
)
def test_a_list_of_jobs_that_is_not_pg_crons_is_passed_over(
    statement: str, audited: TestDatabase
) -> None:
    audited.connect().execute(statement.encode())
    assert brief(findings(audited)) == without_jobs()


def test_a_list_of_jobs_without_the_newer_columns_is_read(audited: TestDatabase) -> None:
    conn = audited.connect()
    conn.execute("ALTER TABLE cron.job DROP COLUMN jobname, DROP COLUMN active")
    found = {f.object for f in findings(audited) if f.object.startswith("pg_cron job")}
    assert found == {f"pg_cron job {number}" for number in (1, 2, 3, 4, 5, 6)}


def test_a_job_that_is_switched_off_is_told_to_be(audited: TestDatabase) -> None:
    audited.connect().execute("UPDATE cron.job SET active = false WHERE jobid = 1")
    why = {f.object: f.why for f in findings(audited)}
    assert why["pg_cron job 1 (forget)"] == "its command names data_type; it is switched off"


def test_nobodys_code_is_run_by_reading_jobs(database: TestDatabase) -> None:
    conn = database.connect()
    for statement in (
        "CREATE SCHEMA cron",
        "CREATE FUNCTION cron.ran() RETURNS text LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'somebody''s code ran'; END$$",
        "CREATE VIEW cron.job AS SELECT 1::bigint AS jobid, '* * * * *'::text AS schedule,"
        " cron.ran() AS command, current_database()::text AS database",
    ):
        conn.execute(statement.encode())
    assert [f for f in findings(database) if f.object.startswith("pg_cron job")] == []
    role = database.create_role()
    reader = database.create_role()
    for statement in (
        "DROP VIEW cron.job",
        "CREATE TABLE cron.job (jobid bigint, schedule text, command text, database text)",
        "INSERT INTO cron.job VALUES (1, '', 'UPDATE public.entity_facts SET data_type = 1',"
        " current_database())",
        f"ALTER TABLE cron.job OWNER TO {role}",
        "ALTER TABLE cron.job ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY p ON cron.job USING (cron.ran() = '')",
        "GRANT USAGE ON SCHEMA cron TO PUBLIC",
        "GRANT SELECT ON cron.job TO PUBLIC",
    ):
        conn.execute(statement.encode())
    found = findings(database, user=reader)
    assert [f for f in found if f.object.startswith("pg_cron job")] == []


# -- views on views --

SHOWING = {
    "renamed": "SELECT f.id, f.data_type AS kind FROM entity_facts AS f",
    "cast": "SELECT id, data_type::text AS kind FROM entity_facts",
    "cut": "SELECT id, data_type::varchar(3) AS kind FROM entity_facts",
    "collated": """SELECT id, data_type COLLATE "C" AS kind FROM entity_facts""",
    "filled": "SELECT id, coalesce(data_type, 'observation') AS kind FROM entity_facts",
    "in a subquery": "SELECT q.id, q.x AS kind FROM (SELECT id, data_type AS x FROM entity_facts) AS q",
    "in WITH": "WITH w AS (SELECT id, data_type AS x FROM entity_facts) SELECT id, x AS kind FROM w",
    "in WITH, around": (
        "WITH w AS (SELECT id, data_type AS x FROM entity_facts)"
        " SELECT q.id, q.y AS kind FROM (SELECT id, x AS y FROM w) AS q"
    ),
    "by an alias": (
        "SELECT f.a AS id, f.p AS kind FROM entity_facts"
        " AS f (a, b, c, d, e, g, h, i, j, k, l, m, n, o, q, p)"
    ),
    "joined": (
        "SELECT j.id, j.kind FROM (entity_facts AS a (id, b, c, d, e, g, h, i, j, k, l, m, n, o, q, kind)"
        " JOIN (VALUES (1)) AS v (id) USING (id)) AS j"
    ),
    "joined by it": (
        "SELECT 1 AS id, data_type AS kind FROM entity_facts AS f"
        " FULL JOIN entity_facts_archive AS a USING (data_type)"
    ),
    "grouped": "SELECT count(*) AS id, data_type AS kind FROM entity_facts GROUP BY data_type",
    "second of a UNION": (
        "SELECT id, name AS kind FROM entities UNION (SELECT 1, 'x' UNION ALL"
        " SELECT id, data_type FROM entity_facts)"
    ),
    "a scalar subquery": (
        "SELECT e.id, (SELECT f.data_type FROM entity_facts AS f WHERE f.entity_id = e.id) AS kind"
        " FROM entities AS e"
    ),
    "lateral": (
        "SELECT e.id, l.x AS kind FROM entities AS e"
        " CROSS JOIN LATERAL (SELECT f.data_type AS x FROM entity_facts AS f"
        " WHERE f.entity_id = e.id) AS l"
    ),
    "an outer column in a subquery": (
        "SELECT f.id, (SELECT f.data_type FROM entities AS e WHERE e.id = 1) AS kind"
        " FROM entity_facts AS f"
    ),
}
COMPUTING = {
    "upper": "SELECT id, upper(data_type) AS kind FROM entity_facts",
    "compared": "SELECT id, data_type = 'identity' AS kind FROM entity_facts",
    "beside": "SELECT id, key AS kind FROM entity_facts WHERE data_type = 'identity'",
    "counted": "SELECT count(data_type) AS id, key AS kind FROM entity_facts GROUP BY key",
    "swapped": (
        "SELECT q.a AS id, q.b AS kind FROM (SELECT id, key, data_type FROM entity_facts) AS q (a, b, c)"
    ),
    "another's": (
        "WITH w AS (SELECT id, data_type AS kind FROM entity_facts)"
        " SELECT w.id, v.kind FROM w, (WITH w AS (SELECT name AS kind FROM entities)"
        " SELECT kind FROM w) AS v"
    ),
}


@pytest.mark.parametrize(("cases", "followed"), [(SHOWING, True), (COMPUTING, False)])
def test_a_view_is_followed_where_it_shows_the_column(
    cases: dict[str, str], followed: bool, each_database: TestDatabase
) -> None:
    conn = each_database.connect()
    above = set()
    for name, query in cases.items():
        conn.execute(f'CREATE VIEW "{name}" AS {query}'.encode())
        conn.execute(
            f'CREATE VIEW "on {name}" AS SELECT id FROM "{name}" WHERE kind::text <> \'\''.encode()
        )
        above.add(f'view public."on {name}"')
    found = {f.object for f in findings(each_database) if f.object.startswith('view public."on ')}
    assert found == (above if followed else set())


def test_names_of_any_characters_are_followed(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    odd = '":a (b) \\ {c} \'d\' ""e"" <>\n%s"'
    conn.execute(b'CREATE SCHEMA "an %odd\' one"')
    view = '"an %odd\' one"."{v}"'
    for statement in (
        f"CREATE VIEW {view} AS SELECT id, data_type AS {odd} FROM entity_facts",
        f"CREATE VIEW above AS SELECT id FROM {view} WHERE {odd} = 'identity'",
    ):
        conn.execute(statement.encode())
    found = {f.object: f.confidence for f in findings(each_database)}
    assert found[f"view {view}"] is Confidence.CERTAIN
    assert found["view public.above"] is Confidence.CERTAIN


# -- what contract needs to know as well --


def test_contract_knows_a_trigger_that_gets_the_column_s_name_and_fails_without_it(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    for statement in (
        "ALTER TABLE entity_facts ADD COLUMN words tsvector",
        "CREATE TRIGGER words BEFORE INSERT ON entity_facts FOR EACH ROW EXECUTE FUNCTION"
        " tsvector_update_trigger(words, 'pg_catalog.english', data_type)",
    ):
        conn.execute(statement.encode())
    with session(database) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        (trigger,) = (d for d in dependents(opened, table) if d.kind == "trigger")
    assert trigger.name == "words on public.entity_facts"
    assert trigger.blocks
    assert trigger.acceptable
    assert trigger.confidence is Confidence.LIKELY
    insert = "INSERT INTO entity_facts (key, value) VALUES ('a', 'b')"
    conn.execute(insert.encode())
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type CASCADE")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        conn.execute(insert.encode())


def test_contract_knows_what_looks_into_whole_rows_but_not_what_merely_compares_them(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    fires = "FOR EACH ROW WHEN ({}) EXECUTE FUNCTION quiet()"
    changed = fires.format("OLD.* IS DISTINCT FROM NEW.*")
    kind = fires.format(
        "to_jsonb(OLD) -> 'data_type' IS DISTINCT FROM to_jsonb(NEW) -> 'data_type'"
    )
    for statement in (
        "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        f"CREATE TRIGGER changed AFTER UPDATE ON entity_facts {changed}",
        f"CREATE TRIGGER kind AFTER UPDATE ON entity_facts {kind}",
        "CREATE POLICY p ON entity_facts USING (to_jsonb(entity_facts) ->> 'data_type' <> 'identity')",
    ):
        conn.execute(statement.encode())
    with session(database) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        rows = {d.label for d in dependents(opened, table) if d.kind == "whole-row use"}
        assert all(d.acceptable and d.blocks for d in dependents(opened, table) if d.label in rows)
    merging = "function public.merge_facts(integer, integer)"
    looking = {f"trigger kind on {FACTS}", f"policy p on {FACTS}", merging}
    assert rows == looking
    audited = {f.object for f in findings(database) if f.kind == "whole-row use"}
    assert audited == looking | {f"trigger changed on {FACTS}"}


def test_contract_knows_the_jobs_that_name_the_column(audited: TestDatabase) -> None:
    with session(audited) as opened:
        table = relation.resolve(opened, "public", "entity_facts")
        jobs = [d for d in dependents(opened, table) if d.kind == "pg_cron job"]
    assert [d.name for d in jobs] == ["1 (forget)", "2", "3 (put together)", "5 (copied)"]
    assert all(d.blocks and d.acceptable for d in jobs)


# -- what to do --


def test_a_comparison_with_a_literal_is_told_its_replacement(audited: TestDatabase) -> None:
    types = TypeMap(configuration().settings.data_type)
    what = {f.object: f.suggestion for f in findings(audited, replace(BOTH, types=types))}
    identity = "durability = 'permanent' AND category = 'identity'"
    assert what["view reads.by_kind"].startswith(identity)
    assert what["index public.of_identities"].startswith(identity)
    assert what["pg_cron job 1 (forget)"].startswith("durability IN ('short_term', 'ephemeral')")
    assert (
        what["function reads.in_plpgsql()"] == "durability = 'long_term', category = 'observation'"
    )
    assert what["index public.of_lowered"] == "drop it, or index durability or category"
    assert what[f"constraint chk_data_type on {FACTS}"] == "nothing: it goes with data_type"
    assert what["view reads.as_json"] == "name the columns: data_type will be missing from the row"
