import pytest


@pytest.fixture
def fact(db):
    return db.execute(
        "INSERT INTO entity_facts (entity_id, key, value, data_type) "
        "VALUES (1, 'name', 'Ada', 'identity') RETURNING *"
    ).fetchone()


def test_identity_survives(db, fact):
    db.execute("SELECT run_decay()")
    row = db.execute("SELECT * FROM entity_facts WHERE id = %s", (fact["id"],)).fetchone()
    assert row["data_type"] == "identity"
    assert row.data_type == fact["data_type"]


@pytest.mark.parametrize("data_type", ["permanent", "identity"])
def test_kinds(db, data_type):
    db.execute("DELETE FROM entity_facts WHERE data_type = %s", (data_type,))
