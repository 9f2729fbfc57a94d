def read_facts(conn):
    return conn.execute("SELECT * FROM entity_facts").fetchall()


def read_sensors(conn):
    return conn.execute("SELECT id, data_type FROM sensors").fetchall()


def show(conn):
    for fact in read_facts(conn):
        print(fact["data_type"])
    for sensor in read_sensors(conn):
        print(sensor["data_type"])
