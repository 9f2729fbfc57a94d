-- How many rows a rollback has kept something of. Parameters: tables text[]. Result: rows bigint. Locks: none.
SELECT pg_catalog.count(*) AS rows
FROM memory_maintenance.rollback_backup AS b
WHERE b.table_name = ANY (%(tables)s::text[])
