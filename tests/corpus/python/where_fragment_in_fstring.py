def find(cur, kind, direction):
    where = "WHERE f.data_type = %s" if kind else ""
    cur.execute(f"SELECT f.id FROM entity_facts f {where} ORDER BY f.data_type {direction} LIMIT {10}")
    clause = f"AND data_type = '{kind}'"
    return clause
