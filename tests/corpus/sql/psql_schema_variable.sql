SELECT data_type FROM :"schema".entity_facts;
SELECT data_type FROM :schema.sensors;
