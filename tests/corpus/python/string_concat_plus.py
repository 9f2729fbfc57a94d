def search(cur, term, kind=None, limit=20):
    q = "SELECT f.id, f.value"
    q += " FROM entity_facts f"
    q += " WHERE f.value ILIKE %s"
    args = ["%" + term + "%"]
    if kind:
        q += " AND f.data_type = %s"
        args.append(kind)
    q += " LIMIT " + str(int(limit))
    cur.execute(q, args)
    return cur.fetchall()
