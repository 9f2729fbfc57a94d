QUERY = "SELECT data_type FROM __TABLE__ WHERE id = 1"


def load(cur):
    cur.execute(QUERY.replace("__TABLE__", "entity_facts"))
