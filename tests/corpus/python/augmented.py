def find(cur, kind=None, limit=None, sensor=None):
    query = "SELECT id FROM entity_facts"
    other = "SELECT id FROM sensors"
    if kind:
        query += " WHERE data_type = %s"
    elif limit:
        query += " ORDER BY data_type"
    if sensor:
        other += " WHERE data_type = %s"
    cur.execute(query)
    cur.execute(other)
