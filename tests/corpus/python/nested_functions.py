def outer(conn):
    rows = conn.execute("SELECT data_type FROM sensors")

    def inner(row):
        return row["data_type"]

    return [inner(row) for row in rows]


FACTS = "entity_facts"
