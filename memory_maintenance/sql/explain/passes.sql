-- The passes over a table since an instant: how many, and the last five.
-- Parameters: table_name; since: text of a timestamptz. Result: id, command, as_of, passes. Locks: none.
SELECT r.id, r.command, r.as_of, pg_catalog.count(*) OVER () AS passes
FROM memory_maintenance.run AS r
WHERE r.table_name = %(table_name)s::text
    AND r.computed_confidence
    AND r.as_of >= %(since)s::timestamptz
ORDER BY r.as_of DESC, r.id DESC
LIMIT 5
