-- Notes an index of ours. Parameters: table_name, name.
UPDATE memory_maintenance.migration AS m
SET indexes_added = m.indexes_added || %(name)s::text
WHERE m.table_name = %(table_name)s AND NOT %(name)s::text = ANY (m.indexes_added)
