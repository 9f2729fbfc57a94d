SQLS = [
    "SELECT data_type FROM entity_facts_v2 WHERE id = %s",
    "SELECT data_type FROM session_entity_facts WHERE id = %s",
    "SELECT entity_facts_data_type FROM settings",
    "SELECT e.data_type FROM entity_fact_sources e JOIN entity_facts f ON f.source_id = e.id",
    "SELECT f.data_type FROM entity_fact_sources e JOIN entity_facts f ON f.source_id = e.id",
]
