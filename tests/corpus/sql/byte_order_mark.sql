SELECT data_type FROM entity_facts;
SELECT data_type FROM sensors;
