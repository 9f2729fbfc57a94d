from psycopg import sql

COLS = ["id", "data_type"]


def load(cur):
    cur.execute(
        sql.SQL("SELECT {} FROM {} WHERE data_type = {}").format(
            sql.Identifier("data_type"),
            sql.Identifier("public", "entity_facts"),
            sql.Placeholder("data_type"),
        )
    )
    cur.execute(
        sql.SQL("SELECT {columns} FROM {table}").format(
            columns=sql.SQL(", ").join(map(sql.Identifier, COLS)),
            table=sql.Identifier("entity_facts"),
        )
    )
    cur.execute(sql.SQL("SELECT {} FROM sensors").format(sql.Identifier("data_type")))
