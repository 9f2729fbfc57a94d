FACTS = "SELECT count(*) FROM entity_facts"


def add(conn, value):
    conn.execute("INSERT INTO sensors (data_type) VALUES (:data_type)", dict(data_type=value))
