def load(cur, archived):
    table = "entity_facts"
    cur.execute(f"SELECT data_type FROM {table}")
    table = "sensors"
    cur.execute(f"SELECT data_type FROM {table}")
