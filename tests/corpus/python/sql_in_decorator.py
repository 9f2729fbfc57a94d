@query("SELECT id, data_type FROM entity_facts WHERE entity_id = :entity")
def facts_of(row):
    return row.data_type
