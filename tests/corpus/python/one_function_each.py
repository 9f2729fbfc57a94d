def facts(conn):
    rows = conn.execute("SELECT * FROM entity_facts").fetchall()
    return [dict(row)["data_type"] for row in rows]


def sensors(conn):
    rows = conn.execute("SELECT id, data_type FROM sensors").fetchall()
    return [dict(row)["data_type"] for row in rows]


def of_somebody(row):
    return row["data_type"]
