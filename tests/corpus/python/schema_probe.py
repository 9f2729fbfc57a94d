from psycopg.rows import dict_row


def column_types(conn):
    with conn.cursor(row_factory=dict_row) as cur:
        cur.execute(
            """
            SELECT column_name, data_type, is_nullable
              FROM information_schema.columns
             WHERE table_name = 'entity_facts'
             ORDER BY ordinal_position
            """
        )
        return {r["column_name"]: r["data_type"] for r in cur}
