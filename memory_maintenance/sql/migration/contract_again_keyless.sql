-- The same for a table without a key, whose rows go by a digest: one scan, where something was noted.
-- Parameters: table_name; keys: notes at most, NULL for all; type_map: JSON; refusal: what to fail
-- with where rows are unsound, NULL for not. Slots: facts; row_key: of f, text;
-- place: migration/contract_place; differs: migration/contract_differs; verdict: migration/verdict.
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
    SELECT
        {row_key} AS fact_key,
        {place} AS place,
        f.data_type::text AS data_type,
        {differs} AS differs,
        {verdict} AS verdict
    FROM {facts} AS f
    WHERE {row_key} IN (SELECT k.fact_key FROM keys AS k)
),
known AS MATERIALIZED (
    SELECT b.fact_key, b.place, b.kept_at
    FROM keys AS k
    CROSS JOIN LATERAL (
        SELECT x.fact_key, x.place::int8 AS place, x.ctid AS kept_at
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = k.fact_key
        OFFSET 0 -- a look-up for each, though the planner may know nothing of our table yet
    ) AS b
),
put AS (
    INSERT INTO memory_maintenance.data_type_backup AS b (table_name, fact_key, place, data_type)
    SELECT %(table_name)s::text, f.fact_key, f.place, f.data_type FROM found AS f WHERE f.differs
    ON CONFLICT (table_name, fact_key, place) DO UPDATE SET data_type = EXCLUDED.data_type
    RETURNING b.fact_key, b.place::int8 AS place
),
removed AS (
    DELETE FROM memory_maintenance.data_type_backup AS b
    WHERE b.ctid = ANY (
        ARRAY(
            SELECT k.kept_at FROM known AS k
            WHERE NOT EXISTS (
                SELECT FROM found AS f WHERE f.differs AND f.fact_key = k.fact_key AND f.place = k.place
            )
        )
    )
    RETURNING 1
)
SELECT
    (SELECT pg_catalog.count(*) FROM taken) AS taken,
    (
        SELECT pg_catalog.count(*) FROM put AS p
        WHERE NOT EXISTS (SELECT FROM known AS k WHERE k.fact_key = p.fact_key AND k.place = p.place)
    ) AS added,
    (SELECT pg_catalog.count(*) FROM removed) AS removed,
    CASE
        WHEN u.unsound > 0 AND %(refusal)s::text IS NOT NULL
            THEN CASE WHEN memory_maintenance.refuse(%(refusal)s::text) THEN u.unsound END
        ELSE u.unsound
    END AS unsound
FROM (
    SELECT pg_catalog.count(*) AS unsound FROM found AS f WHERE f.verdict IN ('unclassified', 'wrong')
) AS u
