COLUMNS = ("id", "data_type")
FACTS = "SELECT count(*) FROM entity_facts"


def load(cur):
    cur.execute("SELECT " + ", ".join(COLUMNS) + " FROM sensors")
