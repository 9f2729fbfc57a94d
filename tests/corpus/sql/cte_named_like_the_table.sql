WITH entity_facts AS (
    SELECT id, data_type FROM sensors
)
SELECT data_type FROM entity_facts;

WITH entity_facts AS (SELECT 1 AS id)
SELECT data_type FROM public.entity_facts;
