"""What others put into public: it can't change what we do, and what is theirs goes on finding it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.database.statements import read
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Emit, Run
from memory_maintenance.jobs.check_database import CheckDatabaseResult, check_database
from memory_maintenance.jobs.decay import DecayOptions, decay
from memory_maintenance.jobs.report.report import ReportResult, report
from memory_maintenance.jobs.report.scope import ReportOptions
from memory_maintenance.jobs.upkeep import upkeep
from memory_maintenance.migration.migrate import MigrateOptions, migrate
from memory_maintenance.model.result import Result
from tests.support.maintenance import AS_OF, ahead, configured, opened
from tests.support.server import (
    Connection,
    TestDatabase,
    TestServer,
    fresh_database,
    legacy_template,
)

HOSTILE = (Path(__file__).parents[1] / "support" / "hostile.sql").read_bytes()
TABLES = ["entity_facts", "by_uuid", "by_number"]

# As others' deployments have it: keys of other types, confidence of other types, and axes that were
# there before, as varchar, with defaults.
OTHERS = """
CREATE TABLE public.by_uuid (
    id uuid PRIMARY KEY, key varchar(255), value text, confidence real, data_type text,
    learned_at timestamp, last_confirmed_at timestamp, decay_rate numeric
);
CREATE TABLE public.by_number (
    id bigint PRIMARY KEY, key varchar(255), value text, confidence numeric(6, 4), data_type varchar(20),
    learned_at timestamptz, last_confirmed_at timestamptz, expires timestamp,
    durability varchar(20) NOT NULL DEFAULT 'long_term', category varchar(30) NOT NULL DEFAULT 'observation',
    importance integer NOT NULL DEFAULT 5, effective_importance bigint
)
"""
ROWS = """
INSERT INTO public.{table} (id, key, value, confidence, data_type, learned_at, last_confirmed_at)
SELECT {id}, 'note', 'fact ' || n, 1 - (n %% 9) / 10.0,
    (ARRAY['permanent', 'identity', 'preference', 'temporal', 'observation', NULL])[1 + n %% 6],
    '2025-05-01', '2026-06-01'::timestamp - n %% 360 * interval '1 day'
FROM generate_series(1, 400) AS n
"""
IDS = {
    "entity_facts": "n",
    "by_uuid": "md5(n::text)::uuid",
    "by_number": "n",
}
# Facts of every policy, and with every kind of problem. pg_catalog only: the hostile ones are there.
KINDS = """
WITH f AS (SELECT f.id AS key, row_number() OVER (ORDER BY f.id) AS n FROM public.{table} AS f)
UPDATE public.{table} AS t
SET category = (ARRAY['observation', 'mood', 'obligation', 'decision', 'routine', 'weather'])[1 + f.n % 6],
    durability = (ARRAY['permanent', 'long_term', 'short_term', 'ephemeral'])[1 + f.n % 4],
    importance = 1 + f.n % 10,
    pinned = f.n % 13 = 0,
    last_accessed_at = '2026-06-01Z'::timestamptz - f.n % 20 * interval '1 day',
    last_confirmed_at = CASE
        WHEN f.n % 41 = 0 THEN 'infinity'
        WHEN f.n % 43 = 0 THEN '2027-01-01'
        ELSE t.last_confirmed_at
    END,
    expires = CASE WHEN f.n % 3 = 0 THEN '2026-06-01'::timestamp - (f.n % 9 - 4) * interval '1 day' END
FROM f
WHERE f.key = t.id
"""
OTHER_MAP = {"preference": ["short_term", "taste"], "temporal": ["ephemeral", "observation"]}


def functions() -> list[str]:
    """The names of all functions that statements on the facts call, as the files have them, and that
    of the one in the body of survival."""
    package = resources.files("memory_maintenance") / "sql"
    texts = [
        read(f"{folder}/{entry.name.partition('.')[0]}")
        for folder in (
            "access",
            "batches",
            "context",
            "decay",
            "facts",
            "migration",
            "recall",
            "report",
        )
        for entry in (package / folder).iterdir()
    ]
    return sorted({"power", *re.findall(r"([a-z_0-9]+)\(", "\n".join(texts))})


def make_hostile(connection: Connection) -> None:
    known = connection.execute(
        "SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc AS p"
        " WHERE p.proname::text = ANY (%s) AND p.pronamespace = 'pg_catalog'::regnamespace",
        [functions()],
    ).fetchall()
    names = [name for (name,) in known]
    assert {"count", "array_agg", "array_position", "width_bucket", "jsonb_build_array"} < {*names}
    connection.execute("SELECT set_config('mm_test.functions', %s::text[]::text, false)", [names])
    connection.execute(HOSTILE)


def fill(connection: Connection) -> None:
    connection.execute(OTHERS)
    for table in TABLES:
        connection.execute(ROWS.format(table=table, id=IDS[table]).replace("%%", "%").encode())


@pytest.fixture(scope="module")
def pair(each_server: TestServer) -> tuple[str, str]:
    """Two databases to copy, alike, but that the second has a hostile public."""
    clean = each_server.template(
        "others", lambda database: fill(database.connect()), base=legacy_template(each_server)
    )
    hostile = each_server.template(
        "hostile", lambda database: make_hostile(database.connect()), base=clean
    )
    return clean, hostile


def essence(result: Any) -> Any:
    """A result without what differs from run to run: the last digits of means too, since they depend on
    the order in which rows are read."""
    if dataclasses.is_dataclass(result):
        return {
            field.name: essence(getattr(result, field.name))
            for field in dataclasses.fields(result)
            # steps: what plan shows as text, here with what the catalog said of the table. health: what
            # the server has counted until then.
            if field.name
            not in ("duration_s", "runs", "steps", "health", "lock_held_s", "last_old_style_write")
        }
    if isinstance(result, tuple | list):
        return [essence(part) for part in result]
    if isinstance(result, float):
        return round(result, 12)
    return result


def on(table: str, **more: Any) -> Loaded:
    zone = {"zoneless_timezone": "America/Chicago"}
    return configured(
        database={"table": table, **zone},
        confidence={"adopt": "history"},
        run=["decay"],
        data_type=more or {},
    )


def running(
    database: TestDatabase,
    loaded: Loaded,
    job: Callable[[Run], Result],
    *,
    dry_run: bool = False,
    days: float = 0,
    emit: Emit = runs.silent,
) -> Result:
    with (
        opened(database, loaded) as session,
        runs.started(
            session,
            loaded,
            command="test",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=ahead(days=days),
            dry_run=dry_run,
            emit=emit,
        ) as run,
    ):
        result = job(run)
        runs.finished(run, result)
        return result


def migrating(
    database: TestDatabase,
    loaded: Loaded,
    *,
    dry_run: bool = False,
    emit: Emit = runs.silent,
    options: MigrateOptions = MigrateOptions(),  # noqa: B008 - frozen
) -> Any:
    with opened(database, loaded) as session:
        return migrate(
            session,
            loaded,
            options,
            as_of=AS_OF,
            dry_run=dry_run,
            emit=emit,
        )


def foreseen(database: TestDatabase, loaded: Loaded) -> list[Any]:
    """A forecast, and a comparison both ways, with a policy under which obligations fade from the start."""
    settings = loaded.settings
    faster = configured(
        database={"table": settings.database.table, "zoneless_timezone": "America/Chicago"},
        confidence={"adopt": "history"},
        category={"obligation": {"half_life": "9d"}, "mood": {"half_life": "9h"}},
    )
    found: list[Any] = []
    for before, after in ((loaded, faster), (faster, loaded)):
        asked = ReportOptions(show_ids=True, forecast=timedelta(days=9), compare=after)
        seen = running(database, before, partial(report, options=asked), dry_run=True, days=1)
        assert isinstance(seen, ReportResult)
        assert seen.forecast is not None
        assert seen.comparison is not None
        found += [*seen.forecast, dataclasses.replace(seen.comparison, file="")]
    return found


def everything(database: TestDatabase, table: str) -> dict[str, Any]:
    """All commands on a table, what they said and what is there afterwards."""
    found: dict[str, Any] = {}
    loaded, remapped = on(table), on(table, **OTHER_MAP)
    found["plan"] = migrating(database, loaded, dry_run=True)
    found["migrated"] = migrating(database, loaded)
    found["plan of another map"] = migrating(database, remapped, dry_run=True)
    found["migrated by another map"] = migrating(database, remapped)
    with database.connect(options="-c search_path=pg_catalog") as owner:
        owner.execute(KINDS.format(table=table).encode())
    checked = running(database, loaded, check_database, dry_run=True)
    assert isinstance(checked, CheckDatabaseResult)
    found["checked"] = checked.checks[2:]  # those before name the database
    found["reported"] = running(database, loaded, report, dry_run=True)
    tens = DecayOptions(batch_rows=150)
    found["previewed"] = running(database, loaded, lambda run: decay(run, tens), dry_run=True)
    found["decayed"] = running(database, loaded, lambda run: decay(run, tens))
    found["half"] = running(database, loaded, lambda run: decay(run, DecayOptions("importance")))
    found["upkeep"] = running(database, loaded, upkeep, days=3)
    found["reported again"] = running(database, loaded, report, dry_run=True, days=90)
    found["foreseen"] = foreseen(database, loaded)
    known = ("merge_facts",) if table == "entity_facts" else ()
    contract = MigrateOptions(
        phase="contract", force=True, accept=known, keep_dependents=True, batch_rows=150
    )
    found["contract"] = migrating(database, remapped, options=contract)
    rollback = MigrateOptions(phase="rollback", batch_rows=150)
    found["plan of rollback"] = migrating(database, remapped, dry_run=True, options=rollback)
    found["rollback"] = migrating(database, remapped, options=rollback)
    found["migrated once more"] = migrating(database, remapped)
    found = {name: essence(result) for name, result in found.items()}
    with database.connect(options="-c search_path=pg_catalog") as owner:
        facts = owner.execute(
            sql.SQL("SELECT to_jsonb(f)::text FROM {} AS f ORDER BY f.id").format(
                sql.Identifier("public", table)
            )
        )
        found["facts"] = facts.fetchall()
        found["events"] = owner.execute(
            "SELECT e.fact_key, e.kind, e.detail FROM memory_maintenance.event AS e ORDER BY e.id"
        ).fetchall()
        found["checks"] = owner.execute(
            "SELECT c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint AS c"
            " WHERE c.conrelid = %s::regclass ORDER BY 1",
            [f"public.{table}"],
        ).fetchall()
    return found


# Every day each server once, and each of two tables; each with each in `make torture`.
@pytest.mark.parametrize(
    ("each_server", "table"),
    [
        pytest.param(
            server,
            table,
            marks=()
            if (server, table) in (("15", "entity_facts"), ("18", "by_number"))
            else pytest.mark.torture,
        )
        for server in ("15", "18")
        for table in TABLES
    ],
    indirect=["each_server"],
)
def test_a_hostile_public_changes_nothing(
    table: str, pair: tuple[str, str], each_server: TestServer
) -> None:
    results = []
    for template in pair:
        with fresh_database(each_server, template) as database:
            results.append(everything(database, table))
    expected, found = results
    assert expected["decayed"]["updated"] > 100
    assert expected["decayed"]["problem_count"] > 0
    assert expected["contract"]["contracted"] is expected["rollback"]["rolled_back"] is True
    assert expected["migrated by another map"]["updated"] > 0
    for name, result in expected.items():
        assert found[name] == result, name


def test_the_hostile_public_would_be_met_by_careless_sql(
    pair: tuple[str, str], each_server: TestServer
) -> None:
    _, hostile = pair
    with fresh_database(each_server, hostile) as database:
        anyone = database.connect()
        anyone.execute("SET search_path = public")
        for expression in (
            "'a'::varchar <> 'b'::text",
            "'a'::varchar IS DISTINCT FROM 'b'::varchar",
            "'a'::varchar IN ('b', 'c')",
            "1::float8 > 0",
            "nullif(1::float8, 1000)",
            "'{}'::jsonb -> '1'",
            "array_position(ARRAY['a'::text], 'a'::text)",
            "width_bucket(1::float8, ARRAY[1::float8])",
            "jsonb_build_array('a'::varchar, 'b'::text)",
            "count('a'::text)",
        ):
            with pytest.raises(psycopg.errors.RaiseException, match="hijacked"):
                anyone.execute(f"SELECT {expression}".encode())


# -- what others attached to the table --

SCHEMA = "Agent's"
NOTES = sql.Identifier(SCHEMA, "notes")

# Their functions name no schema: what they need is in public, and beside the table.
ATTACHED = """
CREATE SCHEMA "Agent's";
CREATE TABLE "Agent's".notes (
    id int PRIMARY KEY, key text, value text, confidence float8, data_type varchar(20),
    learned_at timestamptz DEFAULT '2026-01-01Z'
);
INSERT INTO "Agent's".notes
SELECT n, 'note', 'fact ' || n, 0.9, 'observation' FROM generate_series(1, 40) AS n;
CREATE TABLE public.history (trigger text, txid bigint, path text);
CREATE TABLE "Agent's".counted (n int);
INSERT INTO "Agent's".counted VALUES (0);
CREATE SEQUENCE public.tried;
CREATE FUNCTION public.keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE counted SET n = n + 1;
    INSERT INTO history VALUES (TG_NAME, txid_current(), current_setting('search_path'));
    RETURN NEW;
END $$;
CREATE TRIGGER of_row BEFORE UPDATE ON "Agent's".notes
FOR EACH ROW EXECUTE FUNCTION public.keep_history();
CREATE TRIGGER of_statement BEFORE UPDATE ON "Agent's".notes
FOR EACH STATEMENT EXECUTE FUNCTION public.keep_history();
CREATE CONSTRAINT TRIGGER of_commit AFTER UPDATE ON "Agent's".notes DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION public.keep_history();
"""
FAIL_TWICE = """
CREATE FUNCTION public.fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('tried') <= 2 THEN
        RAISE EXCEPTION 'as asked' USING ERRCODE = '55P03';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fail_twice BEFORE UPDATE ON "Agent's".notes FOR EACH ROW
WHEN (OLD.id = 15) EXECUTE FUNCTION public.fail_twice();
"""
THEIR_PATH = '"Agent\'s", "public"'


def attached(database: TestDatabase) -> Loaded:
    with database.connect() as owner:
        owner.execute(ATTACHED.encode())
    return configured(database={"table": '"Agent\'s".notes'}, confidence={"adopt": "history"})


def history(database: TestDatabase) -> dict[str, int]:
    """How often each of their triggers fired; all of them with the path that they rely on."""
    with database.connect() as owner:
        found = owner.execute(
            "SELECT h.trigger, h.path, count(*) FROM public.history AS h GROUP BY 1, 2"
        ).fetchall()
        owner.execute("TRUNCATE public.history; ALTER SEQUENCE public.tried RESTART")
    assert {path for _, path, _ in found} == {THEIR_PATH}
    return {trigger: n for trigger, _, n in found}


def terminating(database: TestDatabase) -> Emit:
    """Progress that ends the run's connection after the first batch."""
    ended: list[int] = []

    def emit(_done: int, _known: int | None, _what: str) -> None:
        if not ended:
            with database.connect() as killer:
                row = killer.execute(
                    "SELECT l.pid, pg_terminate_backend(l.pid, 5000) FROM pg_locks AS l"
                    " JOIN pg_database AS d ON d.oid = l.database"
                    " WHERE l.locktype = 'advisory' AND d.datname = current_database()"
                ).fetchone()
            assert row is not None
            ended.append(row[0])

    return emit


@pytest.mark.parametrize("mishap", [None, "a lock", "a lost connection"])
def test_triggers_of_others_find_what_they_name_without_a_schema(
    mishap: str | None, empty_database: TestDatabase
) -> None:
    loaded = attached(empty_database)
    if mishap == "a lock":
        with empty_database.connect() as owner:
            owner.execute(FAIL_TWICE.encode())

    def emit() -> Emit:
        return terminating(empty_database) if mishap == "a lost connection" else runs.silent

    result = migrating(empty_database, loaded, emit=emit(), options=MigrateOptions(batch_rows=10))
    assert (result.updated, result.verified) == (40, True)
    assert history(empty_database) == {"of_row": 40, "of_statement": 4, "of_commit": 40}
    tens = DecayOptions(batch_rows=10)
    passed = running(empty_database, loaded, lambda run: decay(run, tens), emit=emit())
    assert passed.counts()["updated"] == 40
    assert history(empty_database) == {"of_row": 40, "of_statement": 4, "of_commit": 40}


def test_the_path_of_the_writers_ends_with_what_needs_it(empty_database: TestDatabase) -> None:
    loaded = attached(empty_database)
    migrating(empty_database, loaded)

    with opened(empty_database, loaded) as session:

        def path() -> str:
            row = session.connection.execute("SHOW search_path").fetchone()
            assert row is not None
            return str(row[0])

        ours = "pg_catalog, pg_temp"
        with session.facts_path(SCHEMA):
            assert path() == THEIR_PATH
        assert path() == ours
        with session.snapshot():
            with session.facts_path(SCHEMA):
                assert path() == THEIR_PATH
            assert path() == ours
        with session.transaction(facts_in=SCHEMA):
            assert path() == THEIR_PATH
        assert path() == ours
        with pytest.raises(psycopg.errors.DivisionByZero), session.facts_path(SCHEMA):
            session.connection.execute("SELECT 1 / 0")
        assert path() == ours


def test_an_index_on_a_function_that_names_no_schema_stops_nothing(debian15: TestServer) -> None:
    """Its body is looked up when anything on the table is planned. From 17 on, it can't be made."""
    with fresh_database(debian15, "template0") as database:
        loaded = attached(database)
        with database.connect() as owner:
            for name, body in (("plain", "SELECT lower($1)"), ("indexed", "SELECT plain($1)")):
                owner.execute(
                    f"CREATE FUNCTION public.{name}(text) RETURNS text LANGUAGE sql IMMUTABLE"
                    f" AS '{body}'".encode()
                )
            owner.execute('CREATE INDEX ON "Agent\'s".notes (public.indexed(value))')
        assert migrating(database, loaded, dry_run=True).updated == 40
        assert migrating(database, loaded).verified
        assert running(database, loaded, report, dry_run=True).outcome.value == 0
        assert running(database, loaded, decay, dry_run=True).counts()["updated"] == 40
        assert running(database, loaded, decay).counts()["updated"] == 40
