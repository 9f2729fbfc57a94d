DELETE FROM sensor_channels s USING entity_facts f
WHERE s.data_type = f.data_type;
DELETE FROM entity_facts
WHERE data_type NOT IN (SELECT c.data_type FROM allowed_kinds c);
