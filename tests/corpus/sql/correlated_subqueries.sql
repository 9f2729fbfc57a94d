SELECT data_type
FROM sensors
WHERE id IN (
    SELECT id FROM entity_facts
    WHERE data_type = sensors.data_type
);
