COLUMNS = ("id", "key", "value", "data_type")


def load(cur):
    cur.execute("SELECT %s FROM entity_facts" % ", ".join(COLUMNS))
    for row in cur:
        fact = dict(zip(COLUMNS, row)); yield fact["data_type"]
