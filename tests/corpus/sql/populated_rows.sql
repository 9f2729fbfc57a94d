SELECT jsonb_populate_record(NULL::entity_facts, '{"data_type": "mood"}');
SELECT payload->>'data_type' FROM messages;
SELECT id FROM entity_facts AS f WHERE to_jsonb(f)->>'data_type' = 'mood';
