"""What is replicated met the guards where it was written, and isn't looked at again where it arrives.

One server, two databases: a publisher and a subscriber, each with guards in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg import sql

from memory_maintenance.database.guards import DECISIONS, MOODS, NAMES
from tests.support.contracting import simple
from tests.support.guarded import decision, events, mood, reason, refused, stored
from tests.support.migration import migrated
from tests.support.server import (
    Connection,
    TestDatabase,
    TestServer,
    fresh_database,
    legacy_template,
    private_server,
)
from tests.support.waiting import wait_until

NOT_REOPENED = "MM001"
NOT_PROMOTED = "MM002"
SETTINGS = {"wal_level": "logical", "wal_retrieve_retry_interval": "100ms"}


@pytest.fixture
def server(session_directory: Path) -> Iterator[TestServer]:
    """A server that decodes WAL; the session's doesn't."""
    with private_server(session_directory, options=SETTINGS) as private:
        yield private


@contextmanager
def subscribed(publisher: TestDatabase, subscriber: Connection) -> Iterator[None]:
    """The subscriber's facts follow the publisher's, those included that are there already."""
    source = publisher.connect()
    source.execute("CREATE PUBLICATION facts FOR TABLE entity_facts")
    # Made by hand: on one server, CREATE SUBSCRIPTION would wait for itself.
    source.execute("SELECT pg_create_logical_replication_slot('facts', 'pgoutput')")
    subscriber.execute(
        sql.SQL(
            "CREATE SUBSCRIPTION facts CONNECTION {} PUBLICATION facts WITH (create_slot = false)"
        ).format(sql.Literal(publisher.dsn))
    )
    try:
        yield
    finally:
        subscriber.execute("DROP SUBSCRIPTION facts")


def holds(conn: Connection, fact: int, columns: str, *values: object) -> bool:
    found = conn.execute(f"SELECT {columns} FROM entity_facts WHERE id = {fact}".encode())
    return found.fetchone() == (values or None)


def when_they_fire(conn: Connection) -> list[tuple[str, str]]:
    """O: as triggers do by default. R and A: where something is replicated to, too."""
    found = conn.execute(
        "SELECT t.tgname, t.tgenabled FROM pg_trigger AS t WHERE t.tgname = ANY(%s)", [list(NAMES)]
    ).fetchall()
    assert {DECISIONS, MOODS} <= {name for name, _ in found}
    return found


def fire(conn: Connection, when: str) -> None:
    """Have the guards fire in sessions that apply what is replicated, or as they were made to."""
    for name in NAMES:
        conn.execute(f"ALTER TABLE entity_facts ENABLE {when} TRIGGER {name}".encode())


def test_what_is_replicated_met_the_guards_where_it_was_written_and_meets_none_where_it_arrives(
    server: TestServer,
) -> None:
    with fresh_database(server, legacy_template(server)) as publisher:
        source = publisher.connect()
        simple(source)
        migrated(publisher)
        source.execute("DELETE FROM entity_facts")
        source.close()  # a database in use is no template
        with fresh_database(server, publisher.name) as elsewhere:
            source, target = publisher.connect(), elsewhere.connect()
            assert {state for _, state in when_they_fire(target)} == {"O"}
            with reason(source, "promotion", "so he is"):
                lasting = mood(source, "permanent")
            settled, gone, passing = decision(source), decision(source), mood(source)
            with subscribed(publisher, target):
                # The first copy: a mood with a reason is no COPY that is lowered.
                wait_until(lambda: holds(target, lasting, "durability", "permanent"))
                wait_until(lambda: holds(target, passing, "durability", "ephemeral"))

                with refused(NOT_REOPENED):
                    source.execute("UPDATE entity_facts SET value = 'x' WHERE id = %s", [settled])
                with reason(source, "reopen", "the vendor is gone"):
                    source.execute("UPDATE entity_facts SET value = 'y' WHERE id = %s", [settled])
                    source.execute("DELETE FROM entity_facts WHERE id = %s", [gone])
                with reason(source, "promotion", "so he is"):
                    source.execute(
                        "UPDATE entity_facts SET durability = 'long_term' WHERE id = %s", [passing]
                    )
                    later = mood(source, "permanent")
                wait_until(lambda: holds(target, later, "durability", "permanent"))
                assert stored(target, settled, "value") == ("y",)
                assert stored(target, passing) == ("long_term", "mood")
                assert holds(target, gone, "id")
                assert events(source, settled)
                assert not events(target, settled)  # told once, where it was written

                # Who writes to the subscriber itself is refused like anybody.
                with refused(NOT_REOPENED):
                    target.execute("UPDATE entity_facts SET value = 'z' WHERE id = %s", [settled])
                with refused(NOT_PROMOTED):
                    target.execute(
                        "UPDATE entity_facts SET category = 'trait' WHERE id = %s", [later]
                    )

                # A second look, without the writer's reason, would stop replication.
                fire(target, "ALWAYS")
                with reason(source, "reopen", "again"):
                    source.execute("UPDATE entity_facts SET value = 'w' WHERE id = %s", [settled])
                wait_until(lambda: failed(target))
                assert stored(target, settled, "value") == ("y",)
                fire(target, "")
                wait_until(lambda: holds(target, settled, "value", "w"))


def failed(subscriber: Connection) -> bool:
    row = subscriber.execute("SELECT apply_error_count FROM pg_stat_subscription_stats").fetchone()
    return row is not None and row[0] > 0
