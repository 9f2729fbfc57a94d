def insert(cur, fact):
    cur.execute(
        "INSERT INTO entity_facts (entity_id, key, data_type) "
        "VALUES (%(entity_id)s, %(key)s, %(data_type)s)",
        {"entity_id": fact.entity_id, "key": fact.key, "data_type": fact.data_type},
    )
