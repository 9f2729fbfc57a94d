def load(cur, archived, sensors):
    table = "entity_facts"
    if sensors:
        table = "sensors"
    cur.execute(f"SELECT data_type FROM {table}")
    query = "SELECT data_type FROM sensors" if sensors else "SELECT data_type FROM entity_facts"
    cur.execute(query)
