SELECT f.id FROM entity_facts f, sensors s
WHERE f.data_type = s.data_type;
SELECT data_type FROM entity_facts, entities WHERE entity_id = entities.id;
