-- The last runs on a table, newest first. Parameters: table_name, rows.
-- Result: id, command, as_of, started_at, finished_at or NULL, status, counts jsonb, error. Locks: none.
SELECT r.id, r.command, r.as_of, r.started_at, r.finished_at, r.status, r.counts, r.error
FROM memory_maintenance.run AS r
WHERE r.table_name = %(table_name)s
ORDER BY r.started_at DESC, r.id DESC
LIMIT %(rows)s
