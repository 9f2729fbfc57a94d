A = "SELECT data_type FROM pg_catalog.entity_facts"
B = "SELECT data_type FROM memory.entity_facts"
C = "SELECT data_type FROM entity_facts_2019"
D = "SELECT c.data_type FROM information_schema.columns c WHERE c.table_name = 'entity_facts'"
