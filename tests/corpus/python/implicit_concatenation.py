def load(cur):
    cur.execute(
        "SELECT f.id, "  # data_type is the old axis
        "f.data_type "  # retired
        "FROM entity_facts AS f "
        'WHERE f.data_type = \'identity\' '
        r"AND f.key ~ '^\d+$'"
    )
