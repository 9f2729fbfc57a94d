"""What expand proves before it changes anything, and what it says that others have."""

from __future__ import annotations

from dataclasses import replace

import psycopg
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


# -- the stored facts take an UPDATE, the table our columns --

MEND = (
    "mend the facts (ALTER TABLE entity_facts VALIDATE CONSTRAINT {0} proves it), or: "
    "ALTER TABLE entity_facts DROP CONSTRAINT {0}"
)


def prove_writable(
    database: TestDatabase,
    subject: Subject = FACTS,
    role: str | None = None,
    *,
    writes: bool = True,
) -> None:
    with opened(database, role=role) as session, session.snapshot():
        state = states.read(session, subject.resolve(session))
        proofs.prove_writable(session, subject, state, writes=writes)


def unwritable(
    database: TestDatabase, subject: Subject = FACTS, *, writes: bool = True
) -> tuple[str, str]:
    """Message and remedy."""
    with opened(database) as session:
        state = states.read(session, subject.resolve(session))
        with pytest.raises(UsageError) as caught:
            proofs.prove_writable(session, subject, state, writes=writes)
        # The session goes on, with our path.
        assert session.transaction_id() is None
        path = session.connection.execute("SHOW search_path").fetchone()
        assert path == ("pg_catalog, pg_temp",)
    assert caught.value.exit_code == 2
    assert caught.value.remedy is not None
    return caught.value.message, caught.value.remedy


def facts(conn: Connection, data_type: str = "observation", rows: int = 1) -> None:
    conn.execute(
        "INSERT INTO entity_facts (entity_id, key, value, data_type)"
        " SELECT NULL, 'k', 'v', %s FROM generate_series(1, %s)",
        [data_type, rows],
    )


def axes(conn: Connection) -> None:
    conn.execute("ALTER TABLE entity_facts ADD durability varchar(20), ADD category text")


def test_the_reference_schema_with_facts_in_it_can_be_written(each_database: TestDatabase) -> None:
    facts(each_database.connect())
    prove_writable(each_database)
    prove_writable(each_database, Subject("public", "entity_facts_archive", archive=True))


def test_facts_that_break_a_check_not_validated_are_named_with_it(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    without_check(conn)
    facts(conn, "observation", 3)
    facts(conn, "mood", 7)
    conn.execute((CHECK.format("data_type <> 'mood'") + " NOT VALID").encode())
    assert unwritable(each_database) == (
        "the constraint c on entity_facts isn't validated, and 7 facts break it: 4, 5, 6, 7, 8, ...; no "
        "UPDATE of such a fact can succeed: CHECK (((data_type)::text <> 'mood'::text)) NOT VALID",
        MEND.format("c"),
    )
    # What PostgreSQL does with an UPDATE that backfill would make of them.
    with pytest.raises(psycopg.errors.CheckViolation):
        conn.execute("UPDATE entity_facts SET value = value")
    conn.execute("UPDATE entity_facts SET data_type = 'observation' WHERE id > 3")
    prove_writable(each_database)


def test_a_check_of_other_columns_breaks_an_update_as_well(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT IF EXISTS chk_confidence")
    facts(conn, rows=2)
    conn.execute("UPDATE entity_facts SET confidence = 1.7 WHERE id = 2")
    conn.execute(
        "ALTER TABLE entity_facts ADD CONSTRAINT chk_confidence CHECK (confidence BETWEEN 0 AND 1)"
        " NOT VALID"
    )
    message, _ = unwritable(each_database)
    assert message.startswith(
        "the constraint chk_confidence on entity_facts isn't validated, and 1 fact breaks it: 2; no UPDATE"
    )
    conn.execute("UPDATE entity_facts SET confidence = NULL WHERE id = 2")
    prove_writable(each_database)


def test_a_check_of_the_whole_row_with_a_percent_sign_is_evaluated(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    facts(conn, rows=2)
    conn.execute(
        "CREATE FUNCTION fits(f entity_facts) RETURNS bool LANGUAGE sql AS"
        " $$ SELECT f.value NOT LIKE '%(x)s' $$;"
        "ALTER TABLE entity_facts ADD CONSTRAINT c CHECK (fits(entity_facts.*) AND id % 2 = 1) NOT VALID"
    )
    message, _ = unwritable(each_database)
    assert "1 fact breaks it: 2; no" in message


def test_what_binds_nobody_or_is_validated_is_no_hindrance(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    without_check(conn)
    facts(conn, "mood")
    conn.execute((CHECK.format("data_type = 'mood'") + " NOT VALID").encode())
    prove_writable(each_database)
    if each_database.version >= 180000:
        conn.execute(
            (CHECK.format("data_type <> 'mood'") + " NOT ENFORCED").replace(" c ", " d ").encode()
        )
        prove_writable(each_database)


def test_a_check_not_validated_that_fails_or_writes_is_told_as_one_that_cannot_be_evaluated(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    facts(conn)
    conn.execute((CHECK.format("1 / (id - id) > 0") + " NOT VALID").encode())
    assert unwritable(each_database) == (
        "the constraint c on entity_facts isn't validated, and can't be evaluated for the stored facts: "
        "division by zero: CHECK (((1 / (id - id)) > 0)) NOT VALID",
        MEND.format("c"),
    )
    conn.execute(
        "ALTER TABLE entity_facts DROP CONSTRAINT c;"
        "CREATE TABLE seen (id int);"
        "CREATE FUNCTION odd(i int) RETURNS bool LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO seen VALUES (i); RETURN true; END'"
    )
    conn.execute((CHECK.format("odd(id)") + " NOT VALID").encode())
    assert "cannot execute INSERT in a read-only" in unwritable(each_database)[0]


def test_where_backfill_writes_nothing_no_constraint_or_rule_is_looked_at(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    without_check(conn)
    facts(conn, "mood")
    conn.execute((CHECK.format("data_type <> 'mood'") + " NOT VALID").encode())
    conn.execute("CREATE RULE r AS ON UPDATE TO entity_facts DO INSTEAD NOTHING")
    prove_writable(each_database, writes=False)


def test_a_migration_begun_is_not_hindered_by_its_own_checks_or_by_axes_still_to_come(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    facts(conn, rows=2)
    axes(conn)
    conn.execute(
        "ALTER TABLE entity_facts"
        " ADD CONSTRAINT memory_maintenance_axes_present"
        " CHECK (durability IS NOT NULL AND category IS NOT NULL) NOT VALID,"
        " ADD CONSTRAINT theirs CHECK (coalesce(category, '') <> '') NOT VALID"
    )
    prove_writable(each_database)
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT theirs")
    conn.execute("UPDATE entity_facts SET durability = 'permanent', category = '' WHERE id = 2")
    conn.execute("ALTER TABLE entity_facts ADD CONSTRAINT theirs CHECK (category <> '') NOT VALID")
    message, _ = unwritable(each_database)
    assert message.startswith(
        "the constraint theirs on entity_facts isn't validated, and 1 fact breaks it: 2;"
    )


def test_a_not_null_not_validated_that_facts_break_is_named(database: TestDatabase) -> None:
    conn = database.connect()
    if database.version < 180000:
        pytest.skip("NOT NULL can't be NOT VALID before PostgreSQL 18")
    facts(conn, rows=2)
    conn.execute("UPDATE entity_facts SET entity_id = NULL")
    conn.execute('ALTER TABLE entity_facts ADD "a %s" int')
    conn.execute('ALTER TABLE entity_facts ADD CONSTRAINT nn NOT NULL "a %s" NOT VALID')
    with pytest.raises(psycopg.errors.NotNullViolation):
        conn.execute("UPDATE entity_facts SET value = value")
    assert unwritable(database) == (
        "the constraint nn on entity_facts isn't validated, and 2 facts break it: 1, 2; no UPDATE of such a "
        'fact can succeed: NOT NULL "a %s" NOT VALID',
        MEND.format("nn"),
    )
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT nn")
    conn.execute('UPDATE entity_facts SET "a %s" = 1')
    conn.execute('ALTER TABLE entity_facts ADD CONSTRAINT nn NOT NULL "a %s" NOT VALID')
    prove_writable(database)


def test_of_an_archive_without_a_key_the_places_of_the_rows_are_told(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(
        'CREATE SCHEMA "M %s"; CREATE TABLE "M %s".c_archive (value text, data_type text);'
        """INSERT INTO "M %s".c_archive VALUES ('v', 'mood'), ('v', 'state');"""
        """ALTER TABLE "M %s".c_archive ADD CHECK (data_type <> 'state') NOT VALID"""
    )
    message, _ = unwritable(each_database, Subject("M %s", "c_archive", archive=True))
    assert message.startswith(
        'the constraint c_archive_data_type_check on "M %s".c_archive isn\'t validated, and 1 fact '
        "breaks it: (0,2); no UPDATE"
    )


def test_of_partitions_the_table_tells_what_it_has_and_a_partition_what_is_its_own(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    subject = quoted_partitions(conn)
    conn.execute(f"INSERT INTO {OTHER} VALUES (1, 'v', 1, 'mood'), (2, 'v', 1, 'state')".encode())
    low = '"Mem %s"."Low ""1"""'
    conn.execute(
        f"ALTER TABLE {low} ADD CONSTRAINT low CHECK (data_type <> 'mood') NOT VALID".encode()
    )
    assert unwritable(each_database, subject)[0].startswith(
        f"the constraint low on {low} isn't validated, and 1 fact breaks it: 1; no UPDATE"
    )
    conn.execute(f"ALTER TABLE {OTHER} ADD CONSTRAINT all_of_it CHECK (id > 2) NOT VALID".encode())
    assert unwritable(each_database, subject)[0].startswith(
        f"the constraint all_of_it on {OTHER} isn't validated, and 2 facts break it: 1, 2; no UPDATE"
    )
    conn.execute(f"ALTER TABLE {OTHER} DROP CONSTRAINT all_of_it".encode())
    conn.execute(f"UPDATE {OTHER} SET data_type = 'state'".encode())
    prove_writable(each_database, subject)


def test_a_partition_that_enforces_what_its_table_does_not_is_looked_at(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    if database.version < 180000:
        pytest.skip("every CHECK is enforced before PostgreSQL 18")
    subject = quoted_partitions(conn)
    low = '"Mem %s"."Low ""1"""'
    conn.execute(f"INSERT INTO {OTHER} VALUES (1, 'v', 1, 'mood')".encode())
    conn.execute(
        f"ALTER TABLE {low} ADD CONSTRAINT twice CHECK (data_type <> 'mood') NOT VALID".encode()
    )
    conn.execute(
        f"ALTER TABLE {OTHER} ADD CONSTRAINT twice CHECK (data_type <> 'mood') NOT ENFORCED".encode()
    )
    with pytest.raises(psycopg.errors.CheckViolation):
        conn.execute(f"UPDATE {OTHER} SET value = value".encode())
    assert unwritable(database, subject)[0].startswith(
        f"the constraint twice on {low} isn't validated, and 1 fact breaks it: 1; no UPDATE"
    )


@pytest.mark.parametrize(
    ("rule", "definition"),
    [
        (
            "DO ALSO INSERT INTO log VALUES (NEW.id)",
            "ON UPDATE TO public.entity_facts DO INSERT INTO public.log (id) VALUES (new.id);",
        ),
        (
            "WHERE NEW.id < 0 DO INSTEAD NOTHING",
            "ON UPDATE TO public.entity_facts WHERE (new.id < 0) DO INSTEAD NOTHING;",
        ),
    ],
)
def test_a_rule_on_update_is_refused_with_its_definition(
    each_database: TestDatabase, rule: str, definition: str
) -> None:
    conn = each_database.connect()
    conn.execute("CREATE TABLE log (id int)")
    conn.execute(f'CREATE RULE "R %s" AS ON UPDATE TO entity_facts {rule}'.encode())
    assert unwritable(each_database) == (
        'the rule "R %s" on entity_facts rewrites UPDATE, by which facts are classified: '
        f'CREATE RULE "R %s" AS {definition}',
        'drop it for the time of the migration: DROP RULE "R %s" ON entity_facts',
    )
    conn.execute('ALTER TABLE entity_facts DISABLE RULE "R %s"')
    prove_writable(each_database)


def test_several_rules_are_told_at_once_those_of_partitions_not_at_all(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute("CREATE RULE a AS ON UPDATE TO entity_facts DO INSTEAD NOTHING")
    conn.execute("CREATE RULE b AS ON UPDATE TO entity_facts DO INSTEAD NOTHING")
    conn.execute("CREATE RULE d AS ON DELETE TO entity_facts DO INSTEAD NOTHING")
    message, remedy = unwritable(each_database)
    assert message.startswith("the rules a, b on entity_facts rewrite UPDATE, by which")
    assert remedy.endswith(": DROP RULE a ON entity_facts; DROP RULE b ON entity_facts")
    subject = quoted_partitions(conn)
    conn.execute('CREATE RULE r AS ON UPDATE TO "Mem %s"."Low ""1""" DO INSTEAD NOTHING')
    prove_writable(each_database, subject)
    assert disturbing(each_database, subject) == ()


ADDED = "ALTER TABLE {} ADD COLUMN importance smallint NOT NULL DEFAULT 5"


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ("CREATE TABLE audit (at timestamptz, fact entity_facts)", "audit.fact"),
        ("CREATE TABLE audit (facts entity_facts[])", "audit.facts"),
        ("CREATE DOMAIN d AS entity_facts; CREATE TABLE audit (fact d)", "audit.fact"),
        ("CREATE DOMAIN d AS entity_facts[]; CREATE TABLE audit (fact d)", "audit.fact"),
        ("CREATE TYPE t AS (f entity_facts[]); CREATE TABLE audit (fact t[])", "audit.fact"),
        (
            "CREATE VIEW w AS SELECT e AS f FROM entity_facts AS e; CREATE TABLE audit (w w)",
            "audit.w",
        ),
        ("CREATE TABLE audit (k int, fact entity_facts) PARTITION BY LIST (k)", "audit.fact"),
        (
            "CREATE TYPE r AS RANGE (subtype = entity_facts); CREATE TABLE audit (fact r)",
            "audit.fact",
        ),
        ('CREATE SCHEMA "S"; CREATE TABLE "S"."A %s" ("f %s" entity_facts)', '"S"."A %s"."f %s"'),
    ],
)
def test_a_stored_column_with_the_row_type_is_refused_as_postgresql_would(
    each_database: TestDatabase, made: str, place: str
) -> None:
    conn = each_database.connect()
    conn.execute(made.encode())
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="uses its row type"):
        conn.execute(ADDED.format("entity_facts").encode())
    message, remedy = unwritable(each_database, writes=False)
    assert message == (
        f"the row type of entity_facts is in use for {place}: as long as it is, PostgreSQL refuses to add "
        "columns with a default to entity_facts (importance, access_count, pinned)"
    )
    conn.execute(remedy.removeprefix("drop the column, or: ").encode())
    prove_writable(each_database)
    conn.execute(ADDED.format("entity_facts").encode())


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TYPE t AS (f entity_facts)",
        "CREATE DOMAIN d AS entity_facts",
        "CREATE VIEW w AS SELECT e AS f FROM entity_facts AS e",
        "CREATE FUNCTION same(f entity_facts) RETURNS entity_facts LANGUAGE sql AS 'SELECT f'",
        "CREATE TABLE audit (f entity_facts, g int); ALTER TABLE audit DROP COLUMN f",
        "CREATE TABLE audit (LIKE entity_facts)",
    ],
)
def test_a_row_type_that_is_stored_nowhere_is_fine(each_database: TestDatabase, made: str) -> None:
    conn = each_database.connect()
    conn.execute(made.encode())
    prove_writable(each_database)
    conn.execute(ADDED.format("entity_facts").encode())


def test_a_materialized_view_with_the_row_type_is_to_go_meanwhile(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute("CREATE MATERIALIZED VIEW m AS SELECT e AS fact FROM entity_facts AS e")
    message, remedy = unwritable(each_database)
    assert message.startswith("the row type of entity_facts is in use for m.fact: ")
    assert remedy == "drop the materialized view m for the time of the migration"


def test_the_row_type_hinders_only_columns_that_come_with_a_default(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    archive = Subject("public", "entity_facts_archive", archive=True)
    conn.execute("CREATE TABLE audit (fact entity_facts, old entity_facts_archive)")
    # An archive gets the axes only, as columns that may be NULL: PostgreSQL has no objection.
    prove_writable(each_database, archive)
    conn.execute("ALTER TABLE entity_facts_archive ADD COLUMN durability varchar(20)")
    # Without data_type they come with their defaults.
    conn.execute("ALTER TABLE entity_facts_archive DROP COLUMN durability, DROP COLUMN data_type")
    assert "(durability, category)" in unwritable(each_database, archive, writes=False)[0]
    # Where ours are there already none is added.
    conn.execute("DROP TABLE audit")
    conn.execute(
        "ALTER TABLE entity_facts ADD importance smallint NOT NULL DEFAULT 5,"
        " ADD access_count integer NOT NULL DEFAULT 0, ADD pinned boolean NOT NULL DEFAULT false;"
        "CREATE TABLE audit (fact entity_facts)"
    )
    prove_writable(each_database)


def test_of_a_partitioned_table_the_row_types_of_partitions_hinder_its_own_does_not(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    subject = quoted_partitions(conn)
    conn.execute(f"CREATE TABLE of_all (fact {OTHER})".encode())
    prove_writable(each_database, subject)
    conn.execute(ADDED.format(OTHER).encode())
    conn.execute(f"ALTER TABLE {OTHER} DROP COLUMN importance".encode())
    conn.execute('CREATE TABLE of_low (fact "Mem %s"."Low ""1""")')
    assert " is in use for of_low.fact: " in unwritable(each_database, subject)[0]
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        conn.execute(ADDED.format(OTHER).encode())


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


def test_rules_that_replace_an_insert_are_named(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    conn.execute(
        "CREATE TABLE log (id int);"
        "CREATE RULE r_insert AS ON INSERT TO entity_facts WHERE NEW.id < 0 DO INSTEAD NOTHING;"
        "CREATE RULE r_log AS ON INSERT TO entity_facts DO ALSO INSERT INTO log VALUES (1);"
        "CREATE RULE r_off AS ON INSERT TO entity_facts DO INSTEAD NOTHING;"
        "ALTER TABLE entity_facts DISABLE RULE r_off"
    )
    assert disturbing(each_database) == (
        "the rule r_insert on entity_facts replaces INSERT: what it writes elsewhere gets no axes; "
        "check that it still fits the table",
    )


def test_what_must_be_unique_with_data_type_in_it_is_named(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    conn.execute(
        "ALTER TABLE entity_facts ADD CONSTRAINT u_pair UNIQUE (entity_id, data_type);"
        "CREATE UNIQUE INDEX u_alone ON entity_facts (data_type);"
        "CREATE UNIQUE INDEX u_lower ON entity_facts (entity_id, lower(data_type));"
        "CREATE UNIQUE INDEX u_some ON entity_facts (value) WHERE data_type = 'permanent';"
        "CREATE UNIQUE INDEX n_include ON entity_facts (id, entity_id) INCLUDE (data_type);"
        "CREATE UNIQUE INDEX n_other ON entity_facts (id, value);"
        "CREATE INDEX n_plain ON entity_facts (entity_id, data_type);"
        "ALTER TABLE entity_facts ADD CONSTRAINT u_box EXCLUDE (lower(data_type) WITH =)"
    )
    way = (
        "on entity_facts has data_type in it: a writer who changes an axis fails where another fact has "
        "what data_type becomes; see that none can"
    )
    assert disturbing(each_database) == (
        f"the unique index u_alone {way}",
        f"the exclusion constraint u_box {way}",
        f"the unique index u_lower {way}",
        f"the unique index u_pair {way}",
        f"the unique index u_some {way}",
    )


def test_a_unique_index_of_partitions_is_named_once(each_database: TestDatabase) -> None:
    conn = each_database.connect()
    subject = quoted_partitions(conn)
    conn.execute(f"CREATE UNIQUE INDEX u_all ON {OTHER} (id, data_type)".encode())
    conn.execute('CREATE UNIQUE INDEX u_low ON "Mem %s"."Low ""1""" (value, data_type)')
    assert [s.split(" has ")[0] for s in disturbing(each_database, subject)] == [
        f"the unique index u_all on {OTHER}",
        'the unique index u_low on "Mem %s"."Low ""1"""',
    ]


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
