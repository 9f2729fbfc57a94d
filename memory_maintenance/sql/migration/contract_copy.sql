-- Keeps aside, of one key range, the old values that the axes alone wouldn't give.
-- Parameters: first_key, last_key; table_name; type_map: JSON; refusal: what to fail with where
-- rows are unsound, NULL for not. Slots: facts, key, key_type;
-- differs: migration/contract_differs; verdict: migration/verdict.
-- Result: rows, backed_up, unsound (by verify's verdict): bigint. Locks: none on facts.
WITH seen AS MATERIALIZED (
    SELECT
        f.{key}::text AS fact_key,
        f.data_type::text AS data_type,
        {differs} AS differs,
        {verdict} AS verdict
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
),
put AS (
    INSERT INTO memory_maintenance.data_type_backup AS b (table_name, fact_key, data_type)
    SELECT %(table_name)s::text, s.fact_key, s.data_type FROM seen AS s WHERE s.differs
    ON CONFLICT (table_name, fact_key, place) DO UPDATE SET data_type = EXCLUDED.data_type
    RETURNING 1
)
SELECT
    (SELECT pg_catalog.count(*) FROM seen) AS rows,
    (SELECT pg_catalog.count(*) FROM put) AS backed_up,
    CASE
        WHEN u.unsound > 0 AND %(refusal)s::text IS NOT NULL
            THEN CASE WHEN memory_maintenance.refuse(%(refusal)s::text) THEN u.unsound END
        ELSE u.unsound
    END AS unsound
FROM (
    SELECT pg_catalog.count(*) AS unsound FROM seen AS s WHERE s.verdict IN ('unclassified', 'wrong')
) AS u
