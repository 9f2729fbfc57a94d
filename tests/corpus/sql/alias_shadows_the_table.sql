SELECT entity_facts.data_type
FROM sensors AS entity_facts;
SELECT data_type FROM entity_facts AS sensors;
SELECT sensors.data_type FROM entity_facts AS sensors;
