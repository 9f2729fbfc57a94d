def load(cur):
    cur.execute("SELECT id, data_type FROM entity_facts")
    return cur.fetchall()
