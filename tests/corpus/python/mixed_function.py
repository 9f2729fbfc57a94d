def merge(cur, row):
    cur.execute("SELECT data_type FROM sensors")
    cur.execute("SELECT id FROM entity_facts")
    return row["data_type"]
