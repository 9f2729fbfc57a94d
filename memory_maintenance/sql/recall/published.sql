-- The plan that is published for a table. Parameters: table_name. Result: at most one row: digest, published_at. Locks: none.
SELECT p.digest, p.published_at
FROM memory_maintenance.recall_plan AS p
WHERE p.table_name = %(table_name)s
