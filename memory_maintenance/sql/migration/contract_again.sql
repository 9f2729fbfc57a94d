-- Looks again at rows that were noted: keeps their old values aside, or no longer, and forgets the notes.
-- Parameters: table_name; keys: notes at most, NULL for all; type_map: JSON; refusal: what to fail
-- with where rows are unsound, NULL for not. Slots: facts, key, key_type;
-- differs: migration/contract_differs; verdict: migration/verdict.
-- Result: taken, added, removed, unsound (by verify's verdict): bigint. Locks: none on facts.
WITH taken AS (
    DELETE FROM memory_maintenance.noted_key AS k
    WHERE k.id = ANY (
        ARRAY(
            SELECT n.id FROM memory_maintenance.noted_key AS n
            WHERE n.table_name = %(table_name)s::text
            ORDER BY n.id
            LIMIT %(keys)s::int8
        )
    )
    RETURNING k.fact_key
),
keys AS MATERIALIZED (
    SELECT DISTINCT t.fact_key FROM taken AS t
),
found AS MATERIALIZED (
    SELECT k.fact_key, r.data_type, coalesce(r.differs, false) AS differs, r.verdict, b.kept_at
    FROM keys AS k
    -- A look-up for each, whatever the planner makes of their number; of our table it may know nothing yet.
    LEFT JOIN LATERAL (
        SELECT f.data_type::text AS data_type, {differs} AS differs, {verdict} AS verdict
        FROM {facts} AS f
        WHERE f.{key} = k.fact_key::{key_type}
        LIMIT 1
    ) AS r ON true
    LEFT JOIN LATERAL (
        SELECT x.ctid AS kept_at
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = k.fact_key AND x.place = 1::int4
        LIMIT 1
    ) AS b ON true
),
put AS (
    INSERT INTO memory_maintenance.data_type_backup AS b (table_name, fact_key, data_type)
    SELECT %(table_name)s::text, f.fact_key, f.data_type FROM found AS f WHERE f.differs
    ON CONFLICT (table_name, fact_key, place) DO UPDATE SET data_type = EXCLUDED.data_type
),
removed AS (
    DELETE FROM memory_maintenance.data_type_backup AS b
    WHERE b.ctid = ANY (ARRAY(SELECT f.kept_at FROM found AS f WHERE f.kept_at IS NOT NULL AND NOT f.differs))
    RETURNING 1
)
SELECT
    (SELECT pg_catalog.count(*) FROM taken) AS taken,
    (SELECT pg_catalog.count(*) FROM found AS f WHERE f.differs AND f.kept_at IS NULL) AS added,
    (SELECT pg_catalog.count(*) FROM removed) AS removed,
    CASE
        WHEN u.unsound > 0 AND %(refusal)s::text IS NOT NULL
            THEN CASE WHEN memory_maintenance.refuse(%(refusal)s::text) THEN u.unsound END
        ELSE u.unsound
    END AS unsound
FROM (
    SELECT pg_catalog.count(*) AS unsound FROM found AS f WHERE f.verdict IN ('unclassified', 'wrong')
) AS u
