def load(cur):
    cur.execute("SELECT * "
                "FROM entity_facts")
    return [row["data_type"] for row in cur]
