INSERT INTO entity_facts (entity_id, key, data_type)
VALUES (1, 'data_type', 'identity')
RETURNING id, data_type;
INSERT INTO sensors (id, data_type) VALUES (1, 'float') RETURNING data_type;
