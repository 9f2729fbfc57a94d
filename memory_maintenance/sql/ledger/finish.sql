-- Closes a run's row. Parameters: id, status, counts: JSON, error: text or NULL. Locks: the row.
UPDATE memory_maintenance.run AS r
SET finished_at = clock_timestamp(), status = %(status)s, counts = %(counts)s, error = %(error)s
WHERE r.id = %(id)s AND r.status = 'running'
