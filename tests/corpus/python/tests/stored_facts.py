def test_a_fact_is_stored(cur):
    cur.execute("SELECT data_type FROM entity_facts")
    assert cur.fetchone()["data_type"] == "identity"
    # data_type
