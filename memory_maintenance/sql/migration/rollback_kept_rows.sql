-- Facts whose values rollbacks have kept aside that came to their end. Parameters: table_name.
-- Result: rows bigint. Locks: none.
SELECT pg_catalog.count(DISTINCT r.fact_key) AS rows
FROM memory_maintenance.rollback_backup AS r
WHERE r.table_name = %(table_name)s::text
    AND NOT EXISTS (
        SELECT FROM memory_maintenance.migration AS m
        WHERE m.table_name = r.table_name AND m.started_at = r.started_at
    )
