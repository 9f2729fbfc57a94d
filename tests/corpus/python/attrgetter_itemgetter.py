from operator import attrgetter, itemgetter

def order(cur):
    cur.execute("SELECT * FROM entity_facts")
    rows = sorted(cur, key=itemgetter("data_type", "key"))
    by_kind = attrgetter("fact.data_type")
    return rows, by_kind, [getattr(r, "data_type", None) for r in rows]
