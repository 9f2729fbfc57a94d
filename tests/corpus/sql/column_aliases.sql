SELECT u.data_type, f.id
FROM unnest(ARRAY['permanent', 'identity']) AS u (data_type)
JOIN entity_facts AS f ON f.category = u.data_type;
SELECT data_type FROM (VALUES ('permanent')) AS v (data_type);
SELECT r.data_type FROM jsonb_to_recordset('[]') AS r (id int, data_type text);
