TABLES = ["sensors", "entity_facts"]


def retire(cur):
    for table in TABLES:
        cur.execute(f"ALTER TABLE {table} DROP COLUMN data_type")
    for number, name in enumerate(TABLES):
        cur.execute("ALTER TABLE {} ALTER COLUMN data_type DROP NOT NULL".format(name))
