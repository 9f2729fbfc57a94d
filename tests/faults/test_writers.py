"""Writers who change a fact while a batch is about to write it: the batch reckons with what they wrote.

The batch has examined the row, found it due and waits for the writer's lock. On PostgreSQL 15 and 18.
"""

from __future__ import annotations

import pytest

from tests.support.invariants import assert_sound
from tests.support.maintained import AS_OF, INSTANT, Background, Memory, lock_row, waiting

FACT = 6


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            "UPDATE entity_facts SET last_confirmed_at = '2026-05-31 23:00Z' WHERE id = %s",
            id="confirms",
        ),
        pytest.param("UPDATE entity_facts SET pinned = true WHERE id = %s", id="pins"),
        pytest.param(
            "UPDATE entity_facts SET durability = 'ephemeral' WHERE id = %s", id="durability"
        ),
        pytest.param("UPDATE entity_facts SET category = 'routine' WHERE id = %s", id="category"),
        pytest.param("UPDATE entity_facts SET confidence = 0.9 WHERE id = %s", id="confidence"),
        pytest.param("UPDATE entity_facts SET importance = 10 WHERE id = %s", id="importance"),
        pytest.param("DELETE FROM entity_facts WHERE id = %s", id="deletes"),
    ],
)
def test_what_a_writer_does_to_a_fact_that_a_batch_waits_for_is_kept(
    change: str, each_memory: Memory, background: Background
) -> None:
    each_memory.fill(10)
    with each_memory.copy() as other:
        with other.connect() as connection:
            connection.execute(change.encode(), [FACT])
        other.decay()
        expected = other.derived()
    writer, watcher = each_memory.connect(), each_memory.connect()
    lock_row(writer, FACT)
    writer.execute(change.encode(), [FACT])
    run = background("decay", *each_memory.arguments(), "--as-of", AS_OF, ready=waiting(watcher))
    writer.execute("COMMIT")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    writer.close()
    watcher.close()
    assert each_memory.derived() == expected
    with each_memory.session() as (session, loaded):
        assert_sound(session, loaded, INSTANT)
