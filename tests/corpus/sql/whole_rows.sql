SELECT * FROM entity_facts;
SELECT f FROM entity_facts AS f;
SELECT to_jsonb(f.*) FROM entity_facts AS f;
SELECT row_to_json(entity_facts) FROM entity_facts;
SELECT s.*, f.id FROM entity_facts AS f JOIN sensors AS s ON s.id = f.entity_id;
SELECT count(*) FROM entity_facts;
