-- Notes that every fact is classified by this map. Parameters: table_name, type_map: JSON.
UPDATE memory_maintenance.migration AS m
SET type_map = %(type_map)s::jsonb, backfilled_at = clock_timestamp()
WHERE m.table_name = %(table_name)s
    AND (m.type_map <> %(type_map)s::jsonb OR m.backfilled_at IS NULL)
