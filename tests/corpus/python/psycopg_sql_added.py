from psycopg import sql


def load(cur, table):
    query = sql.SQL("SELECT id FROM ") + sql.Identifier("entity_facts") + sql.SQL(" WHERE data_type = %s")
    cur.execute(query, ("permanent",))
    cur.execute(sql.SQL("SELECT data_type FROM ") + sql.Identifier(table))
