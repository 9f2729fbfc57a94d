FACTS = "SELECT id FROM entity_facts"


def sensors(cur):
    rows = cur.execute("SELECT * FROM sensors").fetchall()
    return [row["data_type"] for row in rows]
