-- Keeps aside what is in our columns of the rows that were written meanwhile, as it is now.
-- What an earlier rollback kept stays beside it.
-- Parameters: table_name; columns: of the digest; rows: how many notes at most; those of kept. Slots: facts, row_key; kept: jsonb;
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
migration AS MATERIALIZED (
    SELECT m.started_at FROM memory_maintenance.migration AS m WHERE m.table_name = %(table_name)s::text
),
found AS MATERIALIZED (
    SELECT DISTINCT ON (y.fact_key) y.fact_key, y.kept
    FROM (SELECT {row_key} AS fact_key, {kept} AS kept FROM {facts} AS f WHERE {among}) AS y
    WHERE y.kept <> '{{}}'::jsonb
),
removed AS (
    DELETE FROM memory_maintenance.rollback_backup AS r
    WHERE r.table_name = %(table_name)s::text
        AND r.fact_key = ANY (
            ARRAY(SELECT k.fact_key FROM keys AS k EXCEPT SELECT x.fact_key FROM found AS x)
        )
        AND r.started_at = (SELECT m.started_at FROM migration AS m)
),
written AS (
    INSERT INTO memory_maintenance.rollback_backup AS r (table_name, fact_key, started_at, columns, kept)
    SELECT %(table_name)s::text, x.fact_key, m.started_at, %(columns)s::text[], x.kept
    FROM found AS x
    CROSS JOIN migration AS m
    ON CONFLICT (table_name, fact_key, started_at) DO UPDATE
    SET columns = EXCLUDED.columns, kept = EXCLUDED.kept, at = DEFAULT
)
SELECT pg_catalog.count(*) AS noted FROM noted
