def dump_schema(cur, table):
    cur.execute(
        "SELECT c.column_name, c.data_type FROM information_schema.columns AS c WHERE c.table_name = %s",
        (table,),
    )
    return [f"{name} {data_type}" for name, data_type in cur.fetchall()]


def dump_rows(cur):
    cur.execute("SELECT entity_id, key, data_type FROM entity_facts ORDER BY 3, 1")
    return cur.fetchall()


if __name__ == "__main__":
    import psycopg

    with psycopg.connect() as conn:
        print(dump_schema(conn.cursor(), "entity_facts"))
        print(dump_rows(conn.cursor()))
