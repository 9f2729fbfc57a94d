def load(cur, kinds, age):
    cur.execute("SELECT id FROM entity_facts WHERE data_type IN %s AND at > now() - INTERVAL %s", (kinds, age))
    cur.execute("SELECT id FROM sensors WHERE data_type IN %s", (kinds,))
