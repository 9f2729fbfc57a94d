-- Closes the rows of runs that can't be running any more, since we hold their lock.
-- Parameters: table_name. Locks: those rows.
UPDATE memory_maintenance.run AS r
SET
    finished_at = clock_timestamp(),
    status = 'died',
    error = 'its process or the server ended before the run did; the next run completed its work'
WHERE r.table_name = %(table_name)s AND r.status = 'running'
