"""What expand proves before it changes anything, and what it says that others have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import proofs
from memory_maintenance.migration import state as states
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap
from tests.support.maintenance import DEFAULTS, opened
from tests.support.server import Connection, TestDatabase

FACTS = Subject("public", "entity_facts")
TYPE_MAP = TypeMap(DEFAULTS.settings.data_type)
CHECK = "ALTER TABLE entity_facts ADD CONSTRAINT c CHECK ({})"
FOUR = "'permanent', 'temporal', 'preference', 'observation'"
OTHER = '"Mem %s"."Entity %(x)s"'


def proven(session: Session, subject: Subject = FACTS, type_map: TypeMap = TYPE_MAP) -> None:
    proofs.prove_way_back(
        session, subject, states.read(session, subject.resolve(session)), type_map
    )


def prove(database: TestDatabase, subject: Subject = FACTS, role: str | None = None) -> None:
    with opened(database, role=role) as session:
        proven(session, subject)
        # As a dry run does: in one transaction that the server keeps read-only.
        with session.snapshot():
            proven(session, subject)


def refused(database: TestDatabase, subject: Subject = FACTS) -> UsageError:
    with opened(database) as session:
        with pytest.raises(UsageError) as caught:
            proven(session, subject)
        with session.snapshot(), pytest.raises(UsageError) as again:
            proven(session, subject)
        assert again.value.message == caught.value.message
    assert caught.value.exit_code == 2
    assert caught.value.remedy
    return caught.value


def disturbing(
    database: TestDatabase, subject: Subject = FACTS, role: str | None = None
) -> tuple[str, ...]:
    with opened(database, role=role) as session, session.snapshot():
        state = states.read(session, subject.resolve(session))
        found = proofs.disturbances(session, subject, state)
    assert all(len(sentence) <= 200 for sentence in found), found
    return found


@pytest.fixture
def conn(database: TestDatabase) -> Connection:
    return database.connect()


def without_check(conn: Connection) -> None:
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")


def quoted_partitions(conn: Connection, role: str = "postgres") -> Subject:
    """A partitioned table with quoted names in a schema of its own, owned by role."""
    conn.execute(f'CREATE SCHEMA "Mem %s" AUTHORIZATION {role}'.encode())
    conn.execute(f"SET ROLE {role}".encode())
    conn.execute(
        f"CREATE TABLE {OTHER} (id bigint PRIMARY KEY, value text, confidence float8,"
        " data_type varchar(20)) PARTITION BY RANGE (id);"
        f'CREATE TABLE "Mem %s"."Low ""1""" PARTITION OF {OTHER} FOR VALUES FROM (0) TO (100)'.encode()
    )
    return Subject("Mem %s", "Entity %(x)s")


# -- the way back fits --


def test_the_reference_schema_and_its_archive_take_the_way_back(
    each_database: TestDatabase,
) -> None:
    prove(each_database)
    prove(each_database, Subject("public", "entity_facts_archive", archive=True))


@pytest.mark.parametrize(
    "condition",
    [
        f"data_type IN ({FOUR})",
        f"data_type IN ('identity', {FOUR}, 'x , y', 'it''s')",
        f"data_type IS NULL OR data_type IN ({FOUR})",
        f"data_type = ANY (ARRAY[{FOUR}])",
        f"data_type::text = ANY (ARRAY[{FOUR}]::text[])",
        " OR ".join(f"data_type = {value}" for value in FOUR.split(", ")),
        "length(data_type) > 3",
        "data_type ~ '^[a-z_%]+$'",
        "data_type LIKE '%e%'",
        "data_type NOT IN ('identity')",
        "data_type <> ''",
        "NULL",
        "data_type IS NOT NULL",
    ],
)
def test_a_check_that_allows_all_four_passes_however_it_is_written(
    database: TestDatabase, conn: Connection, condition: str
) -> None:
    without_check(conn)
    conn.execute(CHECK.format(condition).encode())
    prove(database)


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("data_type IN ('permanent', 'identity')", "temporal, preference, observation"),
        ("data_type = ANY (ARRAY['permanent', 'temporal', 'preference'])", "observation"),
        ("data_type IN ('Permanent', 'temporal', 'preference', 'observation')", "permanent"),
        ("length(data_type) <= 10", "observation"),
        ("data_type <> 'temporal'", "temporal"),
        ("data_type LIKE 'p%'", "temporal, observation"),
        (
            "data_type IN ('permanent', 'temporal') AND data_type IN ('temporal')",
            "permanent, preference, observation",
        ),
    ],
)
def test_a_check_that_refuses_one_of_the_four_is_named_with_it(
    each_database: TestDatabase, condition: str, values: str
) -> None:
    conn = each_database.connect()
    without_check(conn)
    conn.execute(CHECK.format(condition).encode())
    error = refused(each_database)
    assert f"the CHECK c on entity_facts refuses {values}, which facts get" in error.message


def test_what_a_check_calls_finds_what_the_writers_path_finds(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    without_check(conn)
    conn.execute(
        "CREATE TABLE words (word text);"
        "INSERT INTO words VALUES ('permanent'), ('temporal'), ('preference');"
        "CREATE FUNCTION known(w text) RETURNS bool LANGUAGE plpgsql AS"
        " 'BEGIN RETURN EXISTS (SELECT FROM words WHERE word = w); END'"
    )
    conn.execute(CHECK.format("known(data_type)").encode())
    assert "the CHECK c on entity_facts refuses observation, " in refused(each_database).message
    conn.execute("INSERT INTO words VALUES ('observation')")
    prove(each_database)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("RAISE EXCEPTION ''not %% today'', w", "not permanent today"),
        ("INSERT INTO seen VALUES (w); RETURN true", "cannot execute INSERT in a read-only"),
        ("RETURN w::int > 0", "invalid input syntax for type integer"),
    ],
)
def test_a_check_that_fails_or_writes_is_told_as_one_that_cannot_be_evaluated(
    database: TestDatabase, conn: Connection, body: str, words: str
) -> None:
    without_check(conn)
    body = body.replace("%%", "%")
    conn.execute("CREATE TABLE seen (word text)")
    conn.execute(
        f"CREATE FUNCTION odd(w text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN {body}; END'".encode()
    )
    conn.execute(CHECK.format("odd(data_type)").encode())
    error = refused(database)
    assert "the CHECK c on entity_facts can't be evaluated" in error.message
    assert words in error.message
    assert conn.execute("SELECT count(*) FROM seen").fetchone() == (0,)


def test_after_a_check_that_fails_the_transaction_goes_on(
    database: TestDatabase, conn: Connection
) -> None:
    without_check(conn)
    conn.execute(CHECK.format("1 / (length(data_type) - length(data_type)) > 0").encode())
    with opened(database) as session, session.transaction():
        with pytest.raises(UsageError, match="division by zero"):
            proven(session)
        assert session.transaction_id() is None
        session.connection.execute("CREATE TABLE public.still_writable (id int)")
        row = session.connection.execute("SHOW search_path").fetchone()
        assert row == ("pg_catalog, pg_temp",)


def test_a_check_not_yet_validated_binds_new_rows_one_not_enforced_binds_none(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    without_check(conn)
    conn.execute((CHECK.format("data_type IN ('identity')") + " NOT VALID").encode())
    refused(each_database)
    if each_database.version >= 180000:
        conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT c")
        conn.execute((CHECK.format("data_type IN ('identity')") + " NOT ENFORCED").encode())
        prove(each_database)


@pytest.mark.parametrize(
    ("length", "values"),
    [(11, None), (10, "observation"), (8, "permanent, preference, observation")],
)
def test_a_column_too_short_for_one_of_the_four_is_refused(
    database: TestDatabase, conn: Connection, length: int, values: str | None
) -> None:
    without_check(conn)
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute(f"ALTER TABLE entity_facts ALTER data_type TYPE varchar({length})".encode())
    if values is None:
        prove(database)
        return
    error = refused(database)
    assert f"character varying({length}): too short for {values}, which" in error.message
    assert error.remedy == "ALTER TABLE entity_facts ALTER COLUMN data_type TYPE varchar(11)"


def test_text_varchar_without_length_and_not_null_are_fine(
    database: TestDatabase, conn: Connection
) -> None:
    conn.execute("DROP VIEW delegation_knowledge")
    for kind in ("text", "varchar"):
        conn.execute(f"ALTER TABLE entity_facts ALTER data_type TYPE {kind}".encode())
        prove(database)
    conn.execute("ALTER TABLE entity_facts ALTER data_type SET NOT NULL")
    prove(database)


def test_a_domain_over_text_is_refused_with_the_way_round(
    database: TestDatabase, conn: Connection
) -> None:
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute(f"CREATE DOMAIN old_type AS text CHECK (VALUE IN ({FOUR}))".encode())
    conn.execute("ALTER TABLE entity_facts ALTER data_type TYPE old_type")
    error = refused(database)
    assert "domains over them are not" in error.message
    assert error.remedy is not None
    without_check(conn)
    conn.execute(error.remedy.encode())
    prove(database)


def test_a_map_that_lacks_one_of_the_four_is_refused(database: TestDatabase) -> None:
    axes = {old: pair for old, pair in TYPE_MAP.axes.items() if old != "temporal"}
    with opened(database) as session, pytest.raises(UsageError, match="lacks temporal, which"):
        proven(session, type_map=TypeMap(axes))


def test_a_foreign_key_wants_a_row_for_each_of_the_four(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    conn.execute(
        "CREATE TABLE old_types (name varchar(20) PRIMARY KEY);"
        "INSERT INTO old_types VALUES ('permanent'), ('identity'), ('preference'), ('observation');"
        "ALTER TABLE entity_facts ADD CONSTRAINT known FOREIGN KEY (data_type) REFERENCES old_types"
    )
    error = refused(each_database)
    assert error.message.startswith(
        "the foreign key known on entity_facts wants a row of old_types for each value, and temporal, "
    )
    conn.execute("INSERT INTO old_types VALUES ('temporal')")
    prove(each_database)


def test_an_owner_who_may_not_read_what_a_foreign_key_refers_to_is_told_to_look(
    database: TestDatabase, conn: Connection
) -> None:
    role = database.create_role()
    conn.execute(
        "CREATE TABLE old_types (name varchar(20) PRIMARY KEY);"
        "ALTER TABLE entity_facts ADD CONSTRAINT known FOREIGN KEY (data_type) REFERENCES old_types"
    )
    conn.execute(f"ALTER TABLE entity_facts OWNER TO {role}".encode())
    prove(database, role=role)
    (sentence,) = [s for s in disturbing(database, role=role) if "known" in s]
    assert sentence == (
        "the foreign key known on entity_facts wants rows in old_types, which this role may not read: "
        "see that it has permanent, temporal, preference, observation"
    )


def test_a_table_without_data_type_has_nothing_to_prove(
    database: TestDatabase, conn: Connection
) -> None:
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type CASCADE")
    prove(database)


# -- partitions --


def test_a_partitioned_table_of_another_role_in_another_schema_is_proven(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    role = each_database.create_role()
    subject = quoted_partitions(conn, role)
    conn.execute(f"ALTER TABLE {OTHER} ADD CHECK (length(data_type) < 20)".encode())
    prove(each_database, subject, role)
    assert disturbing(each_database, subject, role) == ()
    conn.execute(
        'ALTER TABLE "Mem %s"."Low ""1""" ADD CONSTRAINT "its own" CHECK (data_type <> \'temporal\')'
    )
    error = refused(each_database, subject)
    assert 'the CHECK "its own" on "Mem %s"."Low ""1""" refuses temporal, ' in error.message


@pytest.mark.parametrize(
    "key", ["LIST (data_type)", "LIST (lower(data_type))", "RANGE (id, data_type)"]
)
def test_data_type_in_the_key_of_a_partitioned_partition_is_refused(
    each_database: TestDatabase, key: str
) -> None:
    conn = each_database.connect()
    conn.execute(
        "CREATE TABLE facts (id bigint, value text, confidence float8, data_type text)"
        " PARTITION BY RANGE (id);"
        f"CREATE TABLE low PARTITION OF facts FOR VALUES FROM (0) TO (9) PARTITION BY {key}".encode()
    )
    with opened(each_database) as session:
        # No table of that kind has a key of one column: it is found by its oid alone.
        (oid,) = conn.execute("SELECT 'facts'::regclass::oid::int").fetchall()[0]
        state = states.read(session, replace(FACTS.resolve(session), oid=oid, name="facts"))
        with pytest.raises(UsageError) as caught:
            proofs.prove_way_back(session, Subject("public", "facts"), state, TYPE_MAP)
    assert (
        f"low is partitioned by {key}: a trigger that sets data_type would" in caught.value.message
    )


# -- what others have --


def trigger(
    conn: Connection, name: str, body: str, when: str = "BEFORE UPDATE", table: str = "entity_facts"
) -> None:
    conn.execute(
        f"CREATE FUNCTION f_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NEW; END $$;"
        f"CREATE TRIGGER {name} {when} ON {table} FOR EACH ROW EXECUTE FUNCTION f_{name}()".encode()
    )


def test_the_reference_schema_has_nothing_that_disturbs_but_what_is_known(
    each_database: TestDatabase,
) -> None:
    assert disturbing(each_database) == ()


def test_triggers_that_fire_after_ours_and_may_set_what_we_keep_in_step_are_named(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    trigger(conn, "z_old", "NEW.data_type := lower(NEW.data_type);", "BEFORE INSERT OR UPDATE")
    trigger(conn, "z_whole", "NEW := OLD;")
    trigger(conn, "z_into", "SELECT * INTO NEW FROM entity_facts LIMIT 1;", "BEFORE INSERT")
    trigger(conn, "z_clock", "NEW.updated_at := now(); IF NEW = OLD THEN NULL; END IF;")
    trigger(conn, "z_field", "SELECT now() INTO NEW.updated_at;")
    trigger(conn, "a_first", "NEW.data_type := lower(NEW.data_type);")
    trigger(conn, "z_after", "PERFORM NEW.data_type;", "AFTER UPDATE")
    trigger(conn, "z_delete", "PERFORM OLD.data_type;", "BEFORE DELETE")
    trigger(conn, "z_off", "NEW.category := 'x';")
    conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER z_off")
    way = "what it sets is not kept in step; rename it to sort before memory_maintenance"
    assert disturbing(each_database) == (
        f"the trigger z_into on entity_facts fires after ours and may replace the row: {way}",
        f"the trigger z_old on entity_facts fires after ours and names data_type or an axis: {way}",
        f"the trigger z_whole on entity_facts fires after ours and may replace the row: {way}",
    )


def test_a_partitions_own_trigger_is_named_its_parents_once(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    subject = quoted_partitions(conn)
    trigger(conn, "z_all", "NEW.data_type := 'x';", table=OTHER)
    trigger(conn, "z_low", "NEW.data_type := 'x';", table='"Mem %s"."Low ""1"""')
    assert [sentence.split(" fires")[0] for sentence in disturbing(each_database, subject)] == [
        f"the trigger z_all on {OTHER}",
        'the trigger z_low on "Mem %s"."Low ""1"""',
    ]


def test_a_check_over_several_columns_or_the_whole_row_is_named(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(CHECK.format("data_type <> 'temporal' OR decay_rate IS NOT NULL").encode())
    prove(each_database)
    assert disturbing(each_database) == (
        "the CHECK c on entity_facts compares data_type with other columns: a writer who changes an axis "
        "fails where it refuses the data_type that goes with it; see that it can't",
    )


def test_rules_that_rewrite_our_update_or_replace_an_insert_are_named(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(
        "CREATE TABLE log (id int);"
        "CREATE RULE r_also AS ON UPDATE TO entity_facts DO ALSO INSERT INTO log VALUES (NEW.id);"
        "CREATE RULE r_insert AS ON INSERT TO entity_facts WHERE NEW.id < 0 DO INSTEAD NOTHING;"
        "CREATE RULE r_log AS ON INSERT TO entity_facts DO ALSO INSERT INTO log VALUES (1);"
        "CREATE RULE r_off AS ON UPDATE TO entity_facts DO INSTEAD NOTHING;"
        "ALTER TABLE entity_facts DISABLE RULE r_off"
    )
    assert disturbing(each_database) == (
        "the rule r_also on entity_facts rewrites UPDATE: backfill will fail or write nothing; "
        "ALTER TABLE entity_facts DISABLE RULE r_also meanwhile",
        "the rule r_insert on entity_facts replaces INSERT: what it writes elsewhere gets no axes; "
        "check that it still fits the table",
    )


def test_functions_that_return_the_row_from_a_list_of_columns_are_named(
    database: TestDatabase, conn: Connection
) -> None:
    conn.execute(
        "CREATE TABLE facts (id bigint PRIMARY KEY, value text, confidence float8, data_type text);"
        "CREATE FUNCTION one() RETURNS facts LANGUAGE sql AS"
        " 'SELECT id, value, confidence, data_type FROM facts LIMIT 1';"
        "CREATE FUNCTION all_of_it() RETURNS facts LANGUAGE sql AS 'SELECT * FROM facts LIMIT 1'"
    )
    assert disturbing(database, Subject("public", "facts")) == (
        "the function public.one() returns a row of facts from a list of columns: it fails once the "
        "table has more; have it select the whole row",
    )


def test_publications_are_named_for_the_columns_that_subscribers_lack(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(
        "CREATE PUBLICATION whole FOR TABLE entity_facts;"
        "CREATE PUBLICATION listed FOR TABLE entity_facts (id, value);"
        "CREATE PUBLICATION other FOR TABLE entities"
    )
    assert disturbing(each_database) == (
        "the publication listed has a list of columns of entity_facts: our columns aren't replicated "
        "unless you add them there",
        "the publication whole publishes all columns of entity_facts: add ours to the subscribers' "
        "table first, or their replication stops",
    )


def test_a_publication_of_all_tables_publishes_partitions_too(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    subject = quoted_partitions(conn)
    conn.execute("CREATE PUBLICATION everything FOR ALL TABLES")
    (sentence,) = disturbing(each_database, subject)
    assert sentence.startswith("the publication everything publishes all columns of")
