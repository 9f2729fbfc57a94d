-- Forgets what was kept of rows that are gone, or that others have given values since. Parameters: table_name.
-- Locks: none that others hold.
DELETE FROM memory_maintenance.rollback_backup AS r WHERE r.table_name = %(table_name)s::text
