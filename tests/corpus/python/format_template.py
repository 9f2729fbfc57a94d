BASE = "SELECT {cols} FROM entity_facts {where}"


def count_by_kind(cur):
    cur.execute(BASE.format(cols="data_type, count(*)", where="GROUP BY data_type"))
    return cur.fetchall()


def of_kind(cur, limit):
    cur.execute("SELECT id FROM {0} WHERE {0}.data_type = 'identity' LIMIT {1}".format("entity_facts", limit))
    return [r[0] for r in cur]
