SELECT e.name, x.data_type
FROM entities AS e
CROSS JOIN LATERAL (
    SELECT f.data_type FROM entity_facts AS f
    WHERE f.entity_id = e.id ORDER BY f.id LIMIT 1
) AS x;
