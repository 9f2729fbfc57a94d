def compare(facts, sensors):
    facts.execute("SELECT id, data_type FROM entity_facts")
    sensors.execute("SELECT id, data_type FROM sensors")
    for row in facts:
        print(row["data_type"])
    for row in sensors:
        print(row["data_type"])
