UPDATE entity_facts AS f
SET data_type = s.data_type
FROM sensors AS s
WHERE s.id = f.entity_id AND f.data_type IS NULL
RETURNING f.data_type;
UPDATE sensors SET (id, data_type) = (SELECT 1, data_type FROM entity_facts);
DELETE FROM entity_facts USING sensors WHERE sensors.data_type = entity_facts.data_type;
