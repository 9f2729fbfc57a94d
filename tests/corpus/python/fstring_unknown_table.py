DEFAULT = "entity_facts"


def load(cur, table):
    cur.execute(f"SELECT data_type FROM {table}")
