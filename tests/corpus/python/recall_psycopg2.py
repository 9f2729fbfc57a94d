import psycopg2


def recall(conn, entity_id, kinds=None):
    """Return facts of one entity, newest first."""
    where = ["entity_id = %s"]
    args = [entity_id]
    if kinds:
        where.append("data_type = ANY(%s)")
        args.append(list(kinds))
    with conn.cursor() as cur:
        cur.execute(
            f"SELECT key, value, data_type FROM entity_facts WHERE {' AND '.join(where)} "
            "ORDER BY updated_at DESC",
            args,
        )
        return cur.fetchall()
