"""extraction ingest while others write, and when it is cut off."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_maintenance.engine import retry
from memory_maintenance.errors import Busy, RunFailed, Unavailable
from tests.support.ingesting import ingest, kinds, said, stored
from tests.support.legacy import entity, facts
from tests.support.maintenance import configured
from tests.support.server import Connection, TestDatabase
from tests.support.waiting import wait_until


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries don't wait."""
    monkeypatch.setattr(retry, "wait", lambda *_: None)


def waiting(connection: Connection, kind: str = "advisory") -> int:
    """How many sessions wait for such a lock in this database."""
    found = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND wait_event = %s",
        [kind],
    ).fetchone()
    assert found is not None
    return int(found[0])


# Holds up whoever inserts, until the lock 1 is free.
GATE = """
CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1);
    RETURN NEW;
END
$$;
CREATE TRIGGER gate BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION gate()
"""


@pytest.mark.parametrize("unique", [True, False])
def test_two_that_say_the_same_new_thing_store_it_once(
    migrated: TestDatabase, connection: Connection, unique: bool
) -> None:
    if not unique:
        connection.execute("ALTER TABLE entities DROP CONSTRAINT entities_name_type_key")
    connection.execute(GATE.format("entities").encode())
    connection.execute("SELECT pg_advisory_lock(1)")
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(ingest, migrated, said(entity_name=name, value=value))
            for name, value in (("Ana", "Coffee"), ("ANA", "COFFEE"))
        ]
        wait_until(lambda: waiting(connection) == 2)
        connection.execute("SELECT pg_advisory_unlock(1)")
        outcomes = sorted(kind for run in runs for kind in kinds(run.result()))
    assert outcomes == ["created", "reinforced"]
    assert stored(connection, "confirmation_count") == [(2,)]
    assert connection.execute("SELECT count(*) FROM entities").fetchone() == (1,)


def test_two_that_say_the_same_of_one_known_store_it_once(
    migrated: TestDatabase, connection: Connection
) -> None:
    entity(connection, "Ana")
    connection.execute(GATE.format("entity_facts").encode())
    connection.execute("SELECT pg_advisory_lock(1)")
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(ingest, migrated, said(value=v)) for v in ("Coffee", "coffee")]
        wait_until(lambda: waiting(connection) == 2)
        connection.execute("SELECT pg_advisory_unlock(1)")
        assert sorted(kind for run in runs for kind in kinds(run.result())) == [
            "created",
            "reinforced",
        ]
    assert stored(connection, "confirmation_count") == [(2,)]


def test_an_entity_that_another_program_creates_meanwhile_is_taken(
    migrated: TestDatabase, connection: Connection
) -> None:
    theirs = migrated.connect(autocommit=False)
    theirs.execute("INSERT INTO entities (name, type) VALUES ('Ana', 'person')")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(ingest, migrated, said())
        wait_until(lambda: waiting(connection, "transactionid") == 1)
        theirs.commit()
        assert kinds(run.result()) == ["created"]
    assert connection.execute("SELECT count(*) FROM entities").fetchone() == (1,)


def test_a_fact_that_another_program_changes_meanwhile_is_another(
    migrated: TestDatabase, connection: Connection
) -> None:
    ana = entity(connection, "Ana")
    facts(connection, [{"entity_id": ana, "key": "drinks", "value": "Coffee"}])
    theirs = migrated.connect(autocommit=False)
    theirs.execute("UPDATE entity_facts SET value = 'Tea'")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(ingest, migrated, said())
        wait_until(lambda: waiting(connection, "transactionid") == 1)
        theirs.commit()
        assert kinds(run.result()) == ["created"]
    assert stored(connection, "value, confirmation_count") == [("Tea", 1), ("Coffee", 1)]


def test_a_fact_that_another_program_confirms_meanwhile_is_counted_twice(
    migrated: TestDatabase, connection: Connection
) -> None:
    ingest(migrated, said())
    theirs = migrated.connect(autocommit=False)
    theirs.execute("UPDATE entity_facts SET confirmation_count = confirmation_count + 1")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(ingest, migrated, said())
        wait_until(lambda: waiting(connection, "transactionid") == 1)
        theirs.commit()
        assert kinds(run.result()) == ["reinforced"]
    assert stored(connection, "confirmation_count") == [(3,)]


@pytest.mark.usefixtures("impatient")
def test_a_lock_that_is_never_free_ends_it_and_what_was_done_is_told(
    migrated: TestDatabase, connection: Connection
) -> None:
    ingest(migrated, said())
    theirs = migrated.connect(autocommit=False)
    theirs.execute("UPDATE entity_facts SET value = value")
    loaded = configured(database={"lock_timeout": "0.02s"})
    with pytest.raises(Busy) as caught:
        ingest(migrated, said(value="Tea"), said(), said(value="Milk"), loaded=loaded)
    assert "1 of 3 facts were dealt with (1 created), and that stays" in caught.value.message
    assert "Coffee" not in caught.value.message
    theirs.rollback()
    assert stored(connection, "value") == [("Coffee",), ("Tea",)]
    again = ingest(migrated, said(value="Tea"), said(), said(value="Milk"))
    assert kinds(again) == ["reinforced", "reinforced", "created"]


# Ends the session of whoever inserts Tea, as often as the table allows.
CUT = """
CREATE TABLE allowance AS SELECT {} AS cuts;
CREATE SEQUENCE cut;
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.value = 'Tea' AND nextval('public.cut') <= (SELECT cuts FROM public.allowance) THEN
        PERFORM pg_terminate_backend(pg_backend_pid());
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER cut BEFORE INSERT ON entity_facts FOR EACH ROW EXECUTE FUNCTION cut()
"""


def test_a_connection_that_is_lost_is_made_anew(
    migrated: TestDatabase, connection: Connection
) -> None:
    connection.execute(CUT.format(1).encode())
    assert kinds(ingest(migrated, said(), said(value="Tea"), said(value="tea"))) == [
        "created",
        "created",
        "reinforced",
    ]


def test_a_connection_that_stays_lost_ends_it_and_what_was_done_is_told(
    migrated: TestDatabase, connection: Connection
) -> None:
    connection.execute(CUT.format(100).encode())
    with pytest.raises(Unavailable, match=r"1 of 3 facts were dealt with \(1 created\)"):
        ingest(migrated, said(), said(value="Tea"), said(value="Milk"))
    assert stored(connection, "value") == [("Coffee",)]
    connection.execute("UPDATE allowance SET cuts = 0")
    again = ingest(migrated, said(), said(value="Tea"), said(value="Milk"))
    assert kinds(again) == ["reinforced", "created", "created"]


SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.value = 'Tea' THEN
        PERFORM pg_advisory_xact_lock(1);
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER slow BEFORE INSERT ON entity_facts FOR EACH ROW EXECUTE FUNCTION slow()
"""


def test_a_statement_that_somebody_cancels_ends_it(
    migrated: TestDatabase, connection: Connection
) -> None:
    connection.execute(SLOW)
    connection.execute("SELECT pg_advisory_lock(1)")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(ingest, migrated, said(), said(value="Tea"))
        wait_until(lambda: waiting(connection) == 1)
        connection.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event = 'advisory'"
        )
        with pytest.raises(RunFailed) as caught:
            run.result()
    assert "1 of 2 facts were dealt with (1 created)" in caught.value.message
    assert stored(connection, "value") == [("Coffee",)]


def test_a_fact_that_takes_the_server_too_long_is_rejected(
    migrated: TestDatabase, connection: Connection
) -> None:
    connection.execute(SLOW.replace("pg_advisory_xact_lock(1)", "pg_sleep(60)").encode())
    loaded = configured(database={"lock_timeout": "0.29s", "statement_timeout": "0.3s"})
    result = ingest(migrated, said(value="Tea"), said(), loaded=loaded)
    assert kinds(result) == ["rejected", "created"]
    assert result.outcomes[0].because == (
        "it takes the server longer than database.statement_timeout, in function slow() line 4"
    )
