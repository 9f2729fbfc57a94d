def both(conn):
    facts = conn.execute("SELECT id, data_type FROM entity_facts").fetchall()
    sensors = conn.execute("SELECT id, data_type FROM sensors").fetchall()
    rows = [*sensors, *facts]
    for row in sensors or facts:
        print(row["data_type"])
    for sensor, fact in zip(sensors, facts):
        print(fact["data_type"])
    return [row["data_type"] for row in rows]
