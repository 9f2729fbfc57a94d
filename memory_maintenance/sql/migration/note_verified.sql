-- Notes that the migration was verified. Parameters: table_name.
UPDATE memory_maintenance.migration AS m SET verified_at = clock_timestamp()
WHERE m.table_name = %(table_name)s
