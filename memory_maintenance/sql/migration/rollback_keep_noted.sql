-- Keeps aside what is in our columns of the rows that were written meanwhile, as it is now.
-- Parameters: table_name; rows: how many notes at most; those of kept. Slots: facts, row_key; kept: jsonb;
-- among: whether f is among the keys of "keys", a condition.
-- Result: noted bigint: notes that were settled. Locks: none that others hold.
WITH noted AS (
    DELETE FROM memory_maintenance.noted_key AS n
    WHERE n.id IN (
        SELECT m.id FROM memory_maintenance.noted_key AS m
        WHERE m.table_name = %(table_name)s::text
        ORDER BY m.id
        LIMIT %(rows)s::int8
    )
    RETURNING n.fact_key
),
keys AS MATERIALIZED (
    SELECT DISTINCT n.fact_key FROM noted AS n
),
found AS MATERIALIZED (
    SELECT DISTINCT ON (y.fact_key) y.fact_key, y.kept
    FROM (SELECT {row_key} AS fact_key, {kept} AS kept FROM {facts} AS f WHERE {among}) AS y
    WHERE y.kept <> '{{}}'::jsonb
),
removed AS (
    DELETE FROM memory_maintenance.rollback_backup AS r
    USING keys AS k
    WHERE r.table_name = %(table_name)s::text
        AND r.fact_key = k.fact_key
        AND NOT EXISTS (SELECT FROM found AS x WHERE x.fact_key = k.fact_key)
),
written AS (
    INSERT INTO memory_maintenance.rollback_backup AS r (table_name, fact_key, kept)
    SELECT %(table_name)s::text, x.fact_key, x.kept
    FROM found AS x
    ON CONFLICT (table_name, fact_key) DO UPDATE
    SET kept = EXCLUDED.kept, at = DEFAULT
)
SELECT pg_catalog.count(*) AS noted FROM noted
