-- Notes what the migration adds, by which map the facts found were classified, and what of our names was there
-- before. A map noted before stays until backfill has applied the new one; so does what was there before us.
-- Parameters: table_name, type_map: JSON, columns: text[], constraints: text[], former: JSON.
INSERT INTO memory_maintenance.migration AS m (table_name, type_map, columns_added, constraints_added, former)
VALUES (
    %(table_name)s, %(type_map)s::jsonb, %(columns)s::text[], %(constraints)s::text[], %(former)s::jsonb
)
ON CONFLICT (table_name) DO UPDATE
SET
    columns_added = ARRAY(
        SELECT DISTINCT u.name COLLATE "C" AS name
        FROM unnest(m.columns_added || EXCLUDED.columns_added) AS u (name) ORDER BY name
    ),
    constraints_added = ARRAY(
        SELECT DISTINCT u.name COLLATE "C" AS name
        FROM unnest(m.constraints_added || EXCLUDED.constraints_added) AS u (name) ORDER BY name
    ),
    verified_at = NULL
