def shown(conn):
    sensors = conn.execute("SELECT id, data_type FROM sensors").fetchall()
    facts = conn.execute("SELECT id, data_type FROM entity_facts").fetchall()
    a = sorted(sensors, key=lambda row: row["data_type"])
    b = list(filter(lambda row: row["data_type"] == "identity", facts))
    return a, b
