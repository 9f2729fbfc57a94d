SELECT = "SELECT id, data_type"
FROM = " FROM entity_facts"


def load(cur, where):
    cur.execute(SELECT + FROM + " WHERE data_type = " + where + " AND data_type <> 'mood'")
