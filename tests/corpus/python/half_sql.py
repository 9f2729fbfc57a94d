QUERY = "SELECT data_type FROM entity_facts WHERE {{% if x %}} data_type = 1 {{% endif %}}"
