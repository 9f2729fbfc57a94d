from psycopg import sql

COLUMNS = ["entity_id", "key", "value", "data_type"]


def insert_stmt():
    return sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier("entity_facts"),
        sql.SQL(", ").join(map(sql.Identifier, COLUMNS)),
        sql.SQL(", ").join(sql.Placeholder() * len(COLUMNS)),
    )


def reclassify(conn, old, new):
    q = sql.SQL("UPDATE {t} SET {c} = %s WHERE {c} = %s").format(
        t=sql.Identifier("entity_facts"), c=sql.Identifier("data_type")
    )
    conn.execute(q, (new, old))
