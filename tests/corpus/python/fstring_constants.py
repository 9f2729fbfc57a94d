TABLE = "entity_facts"
COLUMN = "data_type"


def load(cur, fact_id):
    cur.execute(f"SELECT {COLUMN} FROM {TABLE} WHERE id = {fact_id!r:>{10}}")
    cur.execute(f"SELECT data_type FROM {TABLE}")
    cur.execute(f"SELECT data_type FROM {TABLE}_archive WHERE id = %s", (fact_id,))
