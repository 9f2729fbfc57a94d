import os

TABLE = os.environ.get("FACTS_TABLE", "entity_facts")

def kinds(conn):
    rows = conn.execute(f"SELECT data_type, count(*) FROM {TABLE} GROUP BY 1")
    counts = {}
    for row in rows:
        # by kind
        counts[row["data_type"]] = row["count"]
    return counts
