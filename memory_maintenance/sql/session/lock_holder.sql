-- Who holds the run lock, as far as this role may see.
-- Parameters: name, as in lock.sql. Result: pid int, application_name text, since timestamptz; no row if free.
SELECT l.pid, a.application_name, a.backend_start AS since
FROM pg_catalog.pg_locks AS l
LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
CROSS JOIN (SELECT hashtextextended('memory-maintenance run ' || %(name)s, 0) AS key) AS k
WHERE l.locktype = 'advisory'
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database())
    AND l.objsubid = 1
    AND l.classid::bigint = (k.key >> 32) & 4294967295
    AND l.objid::bigint = k.key & 4294967295
