def drop(cur):
    cur.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    cur.execute("ALTER TABLE entity_facts DROP COLUMN IF EXISTS data_type")
