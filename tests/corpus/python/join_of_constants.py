COLUMNS = ["id", "entity_id", "data_type"]


def load(cur):
    cur.execute("SELECT " + ", ".join(COLUMNS) + " FROM entity_facts")
    cur.execute(" ".join(["SELECT data_type", "FROM", "entity_facts"]))
    cur.execute(f"INSERT INTO entity_facts ({', '.join(COLUMNS)}) VALUES (%s, %s, %s)")
