-- Notes that data_type is back with all its values. Parameters: table_name.
UPDATE memory_maintenance.migration AS m
SET contract = NULL, contracted_at = NULL
WHERE m.table_name = %(table_name)s
