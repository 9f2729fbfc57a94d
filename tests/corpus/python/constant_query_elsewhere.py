FACTS = "SELECT id, data_type FROM entity_facts"
SENSORS = "SELECT id, data_type FROM sensors"


def facts(cur):
    cur.execute(FACTS)
    return [row["data_type"] for row in cur]


def sensors(cur):
    cur.execute(SENSORS)
    return [row["data_type"] for row in cur]
