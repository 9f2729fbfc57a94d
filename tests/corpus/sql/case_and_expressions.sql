SELECT CASE WHEN data_type IN ('permanent', 'identity') THEN 'kept' ELSE data_type END,
       coalesce(data_type, 'observation') AS kind,
       data_type || '/' || key,
       count(*) FILTER (WHERE data_type = 'temporal')
FROM entity_facts
GROUP BY data_type, key
HAVING min(data_type) <> 'mood'
ORDER BY array_position(ARRAY['permanent', 'identity'], data_type);
