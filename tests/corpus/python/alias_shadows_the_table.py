def load(cur):
    cur.execute("SELECT f.data_type FROM entity_facts AS f")
    cur.execute("SELECT entity_facts.data_type FROM sensors AS entity_facts")
