def has_legacy_column(cur):
    cur.execute(
        "SELECT 1 FROM information_schema.columns "
        "WHERE table_name = 'entity_facts' AND column_name = 'data_type'"
    )
    return cur.fetchone() is not None
