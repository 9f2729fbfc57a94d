def register_metric(cur, name, data_type):
    cur.execute(
        "INSERT INTO metric_catalog (name, data_type) VALUES (%s, %s) "
        "ON CONFLICT (name) DO UPDATE SET data_type = EXCLUDED.data_type",
        (name, data_type),
    )


def metric_type(cur, name):
    cur.execute("SELECT data_type FROM metric_catalog WHERE name = %s", (name,))
    return cur.fetchone()[0]
