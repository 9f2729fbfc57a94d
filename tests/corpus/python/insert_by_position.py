def copy(cur):
    cur.execute("INSERT INTO entity_facts_archive SELECT * FROM entity_facts WHERE id = %s")
