SELECT to_jsonb(f) FROM entity_facts f;
SELECT to_jsonb(f)->>'data_type' FROM entity_facts f;
SELECT 1;
SELECT row_to_json(entity_facts) FROM entity_facts;
