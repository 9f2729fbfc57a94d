def load(cur, query="SELECT data_type FROM entity_facts"):
    first = second = "DELETE FROM entity_facts WHERE data_type IS NULL"
    cur.execute(**{"query": "SELECT data_type FROM entity_facts_archive"})
    statements = {"facts": "SELECT data_type FROM entity_facts", "sensors": "SELECT data_type FROM sensors"}
    return first, second, statements, query or "SELECT s.data_type FROM sensors s"
