db.Query("SELECT * FROM entity_facts")
db.Query("SELECT * FROM sensors")
