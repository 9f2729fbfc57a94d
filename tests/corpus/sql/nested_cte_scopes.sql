WITH recent AS (SELECT id, data_type FROM entity_facts)
SELECT (
    WITH recent AS (SELECT data_type FROM sensors)
    SELECT max(data_type) FROM recent
),
recent.data_type
FROM recent;
