def load(cur, table="entity_facts", *, sensors: str = "sensors"):
    cur.execute(f"SELECT data_type FROM {table}")
    cur.execute(f"SELECT data_type FROM {sensors}")
