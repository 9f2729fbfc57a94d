WITH base AS (
    SELECT entity_id, data_type FROM entity_facts
), per_entity AS (
    SELECT entity_id, array_agg(DISTINCT data_type) AS kinds FROM base GROUP BY entity_id
), schema_info AS (
    SELECT udt_name AS data_type FROM information_schema.columns
)
SELECT p.kinds, s.data_type FROM per_entity p CROSS JOIN schema_info s;
