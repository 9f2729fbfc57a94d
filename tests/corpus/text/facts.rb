Fact.where("data_type = 'permanent'")
connection.execute('SELECT data_type FROM entity_facts')
connection.execute("UPDATE sensors SET data_type = 'x'")
facts.pluck(:data_type)
