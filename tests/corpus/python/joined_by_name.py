joined = Query.from_("sensors").join("entity_facts").on("id").select("data_type")
other = Query.from_("sensors").join("rooms").on("id").select("data_type")

def facts(conn, where):
    return conn.execute("SELECT * FROM entity_facts WHERE " + where)

def both(conn):
    sensors = conn.execute("SELECT data_type FROM sensors")
    return sensors, facts(conn, "data_type = 'permanent'")
