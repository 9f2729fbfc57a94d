TABLE = "entity_facts"


def note(conn, fact):
    conn.execute("INSERT INTO audit_log (data_type) VALUES (%s)", (fact["data_type"],))

def merged(conn):
    sensor = conn.execute("SELECT * FROM sensors").fetchone()
    fact = fetch_fact(conn)
    return {**sensor, **fact}["data_type"], fact.data_type

def checked(conn):
    sensor = conn.execute("SELECT * FROM sensors").fetchone()
    if sensor:
        fact = load_facts(conn)
        kinds = {f["data_type"] for f in fact}
        return kinds, fact[0].data_type
