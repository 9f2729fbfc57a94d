-- Facts whose values rollback has kept aside. Parameters: table_name. Result: rows bigint. Locks: none.
SELECT pg_catalog.count(*) AS rows
FROM memory_maintenance.rollback_backup AS r
WHERE r.table_name = %(table_name)s::text
