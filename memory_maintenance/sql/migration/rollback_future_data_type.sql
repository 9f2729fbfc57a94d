-- The data_type that a row is going to have, for a dry run. An expression on f.
-- Parameters: table_name; type_map: JSON. Slots: row_key; data_type: migration/rollback_data_type. Locks: none.
(
    SELECT {data_type}
    FROM (SELECT 1) AS o
    LEFT JOIN memory_maintenance.data_type_backup AS b
        ON b.table_name = %(table_name)s::text
        AND b.fact_key = {row_key}
        AND memory_maintenance.mapped_axes(%(type_map)s::jsonb, b.data_type)
            = pg_catalog.jsonb_build_array(f.durability, f.category)
    LIMIT 1
)
