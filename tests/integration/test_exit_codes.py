"""The exit codes of the installed command, each once as an operator meets it, and what they print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.support.command import Call, Command
from tests.support.maintained import AS_OF, Memory, derived, lock_row
from tests.support.pgbouncer import Pooler
from tests.support.server import TestDatabase, TestServer

SECRET = "s3cret-w0rd"


def grant(memory: Memory, *statements: str) -> str:
    """A new role with these rights; ``{}`` stands for it."""
    role = memory.database.create_role()
    with memory.connect() as owner:
        for statement in statements:
            owner.execute(sql.SQL(statement).format(sql.Identifier(role)))
    return role


def test_0_done_and_silent_under_q(memory: Memory, cli: Command) -> None:
    memory.fill(5)
    done = cli("run", *memory.arguments(), "--as-of", AS_OF, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert memory.ledger()[0][1] == "done"


def test_0_though_rows_have_problems_and_q_stays_silent(memory: Memory, call: Call) -> None:
    memory.fill(5)
    with memory.connect() as owner:
        owner.execute("UPDATE entity_facts SET decay_rate = -1 WHERE id = 3")
    quiet = call("run", *memory.arguments(), "--as-of", AS_OF, "-q")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    told = call("decay", *memory.arguments(), "--as-of", AS_OF, "--format", "json")
    assert told.returncode == 0
    assert json.loads(told.stdout)["problems"] == [{"id": 3, "problem": "decay_rate is negative"}]


def test_1_findings(database: TestDatabase, cli: Command) -> None:
    with database.connect() as owner:
        owner.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
        owner.execute("INSERT INTO entity_facts (key, value, data_type) VALUES ('k', 'v', 'odd')")
    done = cli("migrate-types", "--dsn", database.dsn)
    assert done.returncode == 1, done.stderr
    assert "odd" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["decay", "--nonsense"], id="option"),
        pytest.param(["decay", "--as-of", "2026-06-01"], id="instant without zone"),
        pytest.param(["decay", "--table", "nosuch"], id="table"),
        pytest.param(["decay", "--table", "x" * 64], id="name of 64 bytes"),
        pytest.param(["decay", "--table", "public." + "é" * 32], id="name of 64 bytes in UTF-8"),
        pytest.param(["run", "--config", "/nonexistent.yaml"], id="configuration"),
    ],
)
def test_2_wrong_usage(arguments: list[str], memory: Memory, call: Call) -> None:
    done = call(*arguments, "--dsn", memory.dsn)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "yaml",
    [
        pytest.param('database: {table: "a\\0b"}', id="NUL"),
        pytest.param('database: {schema: "a\\0b"}', id="NUL in the schema"),
        pytest.param("database: {table: " + "x" * 64 + "}", id="64 bytes"),
        pytest.param("database: {schema: " + "x" * 64 + "}", id="64 bytes in the schema"),
        pytest.param("database: {table: '\"" + "é" * 32 + "\"'}", id="64 bytes in UTF-8"),
    ],
)
def test_2_names_that_the_server_would_cut(yaml: str, memory: Memory, call: Call) -> None:
    done = call("decay", *memory.arguments(memory.config(yaml)))
    assert done.returncode == 2, done.stderr
    assert "NUL" in done.stderr or "64" in done.stderr or "control" in done.stderr


@pytest.mark.parametrize("variable", ["MEMORY_MAINTENANCE_TABLE", "MEMORY_MAINTENANCE_SCHEMA"])
def test_2_names_of_the_environment_that_the_server_would_cut(
    variable: str, memory: Memory, call: Call
) -> None:
    done = call("decay", *memory.arguments(), env={variable: "x" * 64})
    assert done.returncode == 2, done.stderr
    assert "64" in done.stderr


def test_2_no_database_is_given(cli: Command) -> None:
    done = cli("decay")
    assert done.returncode == 2
    assert "--dsn" in done.stderr


def test_2_not_migrated_yet(database: TestDatabase, call: Call) -> None:
    done = call("decay", "--dsn", database.dsn)
    assert done.returncode == 2
    assert "memory-maintenance migrate-types" in done.stderr


def test_69_unreachable(cli: Command) -> None:
    done = cli("run", "-q", "--dsn", f"postgresql://keeper:{SECRET}@127.0.0.1:1/nova")
    assert done.returncode == 69, done.stderr
    assert done.stdout == ""
    assert "unreachable" in done.stderr
    assert SECRET not in done.stderr


def test_69_behind_a_transaction_pooler(pgbouncer: Pooler, memory: Memory, call: Call) -> None:
    done = call("decay", *memory.arguments(dsn=pgbouncer.dsn(memory.database.name)))
    assert done.returncode == 69, done.stderr
    assert "connect to PostgreSQL directly" in done.stderr
    assert memory.ledger() == []


def test_70_a_statement_that_the_server_refuses(memory: Memory, cli: Command) -> None:
    memory.fill(3)
    with memory.connect() as owner:
        owner.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN RAISE EXCEPTION 'not on my watch'; END$$"
        )
        owner.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    done = cli("run", "-q", *memory.arguments(), "--as-of", AS_OF)
    assert done.returncode == 70, done.stderr
    assert done.stdout == ""
    assert "not on my watch" in done.stderr


def test_75_another_run_is_at_work(memory: Memory, cli: Command) -> None:
    holder = memory.connect(application_name="memory-maintenance archive")
    holder.execute(
        "SELECT pg_advisory_lock(hashtextextended('memory-maintenance run public.entity_facts', 0))"
    )
    done = cli("run", "-q", *memory.arguments())
    assert done.returncode == 75, done.stderr
    assert "memory-maintenance archive" in done.stderr
    assert str(holder.info.backend_pid) in done.stderr


def test_75_locks_are_not_to_be_had(memory: Memory, call: Call) -> None:
    memory.fill(3)
    lock_row(memory.connect(), 2)
    config = memory.config("database: {lock_timeout: 0.02s}")
    done = call("run", "-q", *memory.arguments(config), "--as-of", AS_OF)
    assert done.returncode == 75, done.stderr
    assert memory.ledger()[0][1] == "failed"


def test_77_select_alone_is_not_enough(memory: Memory, call: Call) -> None:
    role = grant(
        memory,
        "GRANT SELECT ON entity_facts TO {}",
        "GRANT USAGE ON SCHEMA memory_maintenance TO {}",
        "GRANT ALL ON ALL TABLES IN SCHEMA memory_maintenance TO {}",
    )
    dsn = make_conninfo(memory.dsn, user=role)
    done = call("decay", *memory.arguments(dsn=dsn))
    assert done.returncode == 77, done.stderr
    assert "GRANT SELECT, UPDATE ON public.entity_facts" in done.stderr
    assert call("decay", *memory.arguments(dsn=dsn), "--dry-run").returncode == 0


def test_77_no_right_on_our_schema(memory: Memory, cli: Command) -> None:
    role = grant(memory, "GRANT SELECT, UPDATE ON entity_facts TO {}")
    done = cli("decay", *memory.arguments(dsn=make_conninfo(memory.dsn, user=role)))
    assert done.returncode == 77, done.stderr
    assert "memory_maintenance" in done.stderr
    assert "GRANT" in done.stderr


def test_77_a_read_only_server(memory: Memory, call: Call) -> None:
    memory.fill(3)
    with memory.connect() as owner:
        owner.execute(
            f"ALTER DATABASE {memory.database.name} SET default_transaction_read_only = on".encode()
        )
    done = call("run", *memory.arguments(), "--as-of", AS_OF)
    assert done.returncode == 77, done.stderr
    assert "read-only" in done.stderr
    assert call("run", *memory.arguments(), "--as-of", AS_OF, "--dry-run").returncode == 0


def test_77_a_wrong_password(own_server: TestServer, call: Call) -> None:
    assert own_server.pgdata is not None
    (own_server.pgdata / "pg_hba.conf").write_text(
        "local all postgres trust\nlocal all all scram-sha-256\n"
    )
    with own_server.connect() as owner:
        owner.execute("CREATE ROLE keeper LOGIN PASSWORD 'right one'")
        owner.execute("SELECT pg_reload_conf()")
    dsn = make_conninfo(own_server.superuser_conninfo, user="keeper", password=SECRET)
    done = call("run", "--dsn", dsn, "-vv")
    assert done.returncode == 77, done.stderr
    assert SECRET not in done.stderr + done.stdout


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://keeper:{SECRET}@host:notaport/nova",
        f"postgresql://keeper:{SECRET}@@host/nova",
        f"postgresql://keeper:{SECRET}@host/nova?nonsense=1",
        f"host=h password='{SECRET}",
        f"password={SECRET} nonsense",
        f"host=h password={SECRET} port=notaport",
        f"postgres:/keeper:{SECRET}@host/nova",
        f"postgresql://keeper:%zz{SECRET}@host/nova",
        f"{SECRET}",
    ],
)
@pytest.mark.parametrize("way", ["option", "environment", "yaml"])
def test_a_malformed_dsn_is_never_echoed(dsn: str, way: str, tmp_path: Path, call: Call) -> None:
    environment: Mapping[str, str] = {}
    arguments = ["run", "-vv"]
    if way == "option":
        arguments += ["--dsn", dsn]
    elif way == "environment":
        environment = {"MEMORY_MAINTENANCE_DSN": dsn}
    else:
        file = tmp_path / "settings.yaml"
        file.write_text(f"database: {{dsn: {json.dumps(dsn)}}}\n")
        arguments += ["--config", str(file)]
    done = call(*arguments, env=environment)
    assert done.returncode == 2, done.stderr
    assert SECRET not in done.stdout + done.stderr


# -- what else could change a result --

HOSTILE = """
CREATE SCHEMA evil;
CREATE FUNCTION evil.survival(float8, float8, float8 DEFAULT 1) RETURNS float8
    LANGUAGE sql AS 'SELECT 0.123::float8';
CREATE FUNCTION evil.pg_backend_pid() RETURNS int LANGUAGE sql AS 'SELECT 7';
CREATE FUNCTION evil.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE sql AS $$SELECT '90000'$$;
CREATE FUNCTION evil.power(float8, float8) RETURNS float8 LANGUAGE sql AS 'SELECT 0.5::float8';
CREATE FUNCTION evil.lower(name) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION evil.array_position(text[], text) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION evil.width_bucket(float8, float8[]) RETURNS int LANGUAGE sql AS 'SELECT 0';
CREATE FUNCTION evil.hashtextextended(text, int) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE FUNCTION evil.differs(varchar, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR evil.<> (LEFTARG = varchar, RIGHTARG = text, FUNCTION = evil.differs);
CREATE FUNCTION evil.times(smallint, float8) RETURNS float8 LANGUAGE sql AS 'SELECT 9::float8';
CREATE OPERATOR evil.* (LEFTARG = smallint, RIGHTARG = float8, FUNCTION = evil.times);
"""

SETTINGS = {
    "search_path": "evil, pg_catalog, public",
    "TimeZone": "'America/Chicago'",
    "DateStyle": "'German, DMY'",
    "IntervalStyle": "sql_standard",
    "extra_float_digits": "'-15'",
    "default_transaction_isolation": "serializable",
    "jit": "on",
    "jit_above_cost": "'0'",
    "client_encoding": "LATIN1",
    "standard_conforming_strings": "off",
}


def test_neither_the_databases_settings_nor_a_schema_in_its_path_change_a_result(
    memory: Memory, cli: Command
) -> None:
    memory.fill(40)
    with memory.connect() as owner:
        owner.execute("UPDATE entity_facts SET last_confirmed_at = NULL WHERE id % 3 = 0")
        owner.execute(
            f"ALTER DATABASE {memory.database.name} SET TimeZone = 'America/Chicago'".encode()
        )
    with memory.copy() as plain:
        with plain.connect() as owner:
            owner.execute(
                f"ALTER DATABASE {plain.database.name} SET TimeZone = 'America/Chicago'".encode()
            )
        plain.decay()
        expected = plain.derived()
    with memory.connect() as owner:
        owner.execute(HOSTILE)
        for name, value in SETTINGS.items():
            owner.execute(f"ALTER DATABASE {memory.database.name} SET {name} = {value}".encode())
    environment = {
        "PGTZ": "Asia/Tokyo",
        "PGOPTIONS": "-c timezone=Asia/Tokyo -c search_path=evil,public",
        "PGDATESTYLE": "German",
        "PGCLIENTENCODING": "LATIN1",
        "TZ": "Asia/Tokyo",
    }
    done = cli("decay", *memory.arguments(), "--as-of", AS_OF, env=environment)
    assert done.returncode == 0, done.stderr
    with memory.connect(options="-c search_path=public -c extra_float_digits=3") as connection:
        connection.execute("SET client_encoding = 'UTF8'; SET DateStyle = 'ISO'")
        assert [row[:6] for row in derived(connection)] == [row[:6] for row in expected]
