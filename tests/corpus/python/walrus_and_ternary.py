def load(cur, old):
    if (query := "SELECT data_type FROM entity_facts") and old:
        cur.execute(query + " WHERE data_type IS NULL")
    cur.execute("SELECT data_type FROM " + ("entity_facts_archive" if old else "entity_facts"))
    return (row := cur.fetchone()) and row["data_type"]
