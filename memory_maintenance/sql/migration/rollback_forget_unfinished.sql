-- Forgets what a rollback kept aside that never came to its end: the columns are still there, and what stands in
-- them now is right. Parameters: table_name. Locks: none that others hold.
DELETE FROM memory_maintenance.rollback_backup AS r
USING memory_maintenance.migration AS m
WHERE r.table_name = %(table_name)s::text
    AND m.table_name = %(table_name)s::text
    AND r.started_at = m.started_at
