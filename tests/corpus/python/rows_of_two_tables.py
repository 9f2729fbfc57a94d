def compare(cur):
    cur.execute("SELECT id, data_type FROM entity_facts")
    facts = cur.fetchall()
    cur.execute("SELECT id, data_type FROM sensors")
    sensors = cur.fetchall()
    for fact in facts:
        yield fact["data_type"]
    for number, sensor in enumerate(sensors):
        yield number, sensor["data_type"]
    return [s["data_type"] for s in sensors] + [f["data_type"] for f in facts]
