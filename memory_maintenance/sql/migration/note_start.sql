-- Notes what the migration adds, and by which map. Parameters: table_name, type_map: JSON, columns: text[].
INSERT INTO memory_maintenance.migration AS m (table_name, type_map, columns_added)
VALUES (%(table_name)s, %(type_map)s::jsonb, %(columns)s::text[])
ON CONFLICT (table_name) DO UPDATE
SET
    type_map = EXCLUDED.type_map,
    columns_added = (
        SELECT array_agg(DISTINCT u.name ORDER BY u.name)
        FROM unnest(m.columns_added || EXCLUDED.columns_added) AS u (name)
    ),
    verified_at = NULL
