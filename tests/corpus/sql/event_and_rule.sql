CREATE RULE keep AS ON DELETE TO entity_facts
WHERE OLD.data_type = 'identity' DO ALSO
INSERT INTO entity_facts_archive (id, data_type) VALUES (OLD.id, OLD.data_type);
