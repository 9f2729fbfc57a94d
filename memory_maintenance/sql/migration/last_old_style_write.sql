-- The last write that named data_type. Parameters: table_name.
-- Result: at most one row: at, role, application_name, seconds_ago float8. Locks: none.
SELECT
    w.at,
    w.role,
    w.application_name,
    date_part('epoch', c.clock - w.at) AS seconds_ago
FROM memory_maintenance.old_style_write AS w
CROSS JOIN (SELECT clock_timestamp() AS clock) AS c -- DEFAULT as_of: the server's, now
WHERE w.table_name = %(table_name)s
ORDER BY w.at DESC
LIMIT 1
