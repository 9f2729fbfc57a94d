def columns(cur):
    cur.execute(
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_name = 'entity_facts'"
    )
    return {row["column_name"]: row["data_type"] for row in cur.fetchall()}


def has_column(cur):
    cur.execute(
        "SELECT 1 FROM information_schema.columns "
        "WHERE table_name = 'entity_facts' AND column_name = 'data_type'"
    )
    return cur.fetchone() is not None
