SELECT data->>'data_type', f.data_type
FROM entity_facts AS f
WHERE data @> '{"data_type": "permanent"}';
SELECT jsonb_build_object('data_type', f.data_type) FROM entity_facts AS f;
