-- Notes what the migration adds, and by which map the facts found were classified. A map noted before stays
-- until backfill has applied the new one. Parameters: table_name, type_map: JSON, columns: text[].
INSERT INTO memory_maintenance.migration AS m (table_name, type_map, columns_added)
VALUES (%(table_name)s, %(type_map)s::jsonb, %(columns)s::text[])
ON CONFLICT (table_name) DO UPDATE
SET
    columns_added = ARRAY(
        SELECT DISTINCT u.name FROM unnest(m.columns_added || EXCLUDED.columns_added) AS u (name) ORDER BY u.name
    ),
    verified_at = NULL
