PREPARE by_type (text) AS SELECT id FROM entity_facts WHERE data_type = $1;
EXPLAIN ANALYZE SELECT id FROM entity_facts WHERE data_type = 'mood';
DECLARE facts CURSOR FOR SELECT data_type FROM entity_facts;
CREATE RULE kept AS ON UPDATE TO entity_facts
    WHERE NEW.data_type <> OLD.data_type DO INSTEAD NOTHING;
