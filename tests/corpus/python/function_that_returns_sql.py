def query():
    return "SELECT id, data_type FROM entity_facts"


def facts(cur):
    cur.execute(query())
    return [row["data_type"] for row in cur]
