-- By which columns' digest the rows go that rollbacks have kept something of, the last rollback's first; none
-- for those that go by a key. Parameters: table_name. Result: columns text[]. Locks: none.
SELECT r.columns
FROM memory_maintenance.rollback_backup AS r
WHERE r.table_name = %(table_name)s::text
GROUP BY r.columns
ORDER BY max(r.started_at) DESC
