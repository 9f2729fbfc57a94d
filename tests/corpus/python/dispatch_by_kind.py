def handle(conn, fact_id):
    fact = dict(conn.execute("SELECT * FROM entity_facts WHERE id = %s", (fact_id,)).fetchone())
    handlers = {"permanent": keep, "temporary": drop}
    handlers[fact["data_type"]](fact)
    fact.update(data_type="identity")
    del fact["data_type"]
