TABLE = "entity_facts"


def learn(memory):
    memory.upsert_fact("user", relation="likes", data_type="identity")
    memory.upsert(table="sensors", data_type="float32")
