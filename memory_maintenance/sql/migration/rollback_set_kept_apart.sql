-- Sets apart what was kept of rows without a key that are not found any more.
-- Parameters: table_name; columns: of the digest. Slots: facts, row_key. Locks: none that others hold.
INSERT INTO memory_maintenance.unmatched_backup (table_name, started_at, fact_key, columns, kept)
SELECT %(table_name)s::text, s.started_at, s.fact_key, %(columns)s::text[], s.kept
FROM (
    SELECT u.started_at, u.fact_key, u.kept, bool_or(u.found) OVER (PARTITION BY u.fact_key) AS matched
    FROM (
        SELECT r.started_at, r.fact_key, r.kept, false AS found
        FROM memory_maintenance.rollback_backup AS r
        WHERE r.table_name = %(table_name)s::text AND r.columns = %(columns)s::text[]
        UNION ALL
        SELECT DISTINCT NULL::timestamptz, x.fact_key, NULL::jsonb, true
        FROM {facts} AS f
        CROSS JOIN LATERAL (
            SELECT o.fact_key
            FROM memory_maintenance.rollback_backup AS o
            WHERE o.table_name = %(table_name)s::text AND o.fact_key = {row_key}
            LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
        ) AS x
    ) AS u
) AS s
WHERE s.started_at IS NOT NULL AND NOT s.matched
