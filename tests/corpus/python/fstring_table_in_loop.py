def retire(cur):
    for table in ("entity_facts", "entity_facts_archive"):
        cur.execute(f"UPDATE {table} SET data_type = NULL WHERE data_type = 'temporal'")
