def find(cur, kind, minimum):
    conditions, values = ["TRUE"], []
    if kind:
        conditions.append("data_type = %s")
    if minimum:
        conditions.append("confidence >= %s")
    cur.execute(f"SELECT id FROM entity_facts WHERE {' AND '.join(conditions)}", values)
