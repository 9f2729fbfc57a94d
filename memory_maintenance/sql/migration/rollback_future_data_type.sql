-- The data_type that a row is going to have, for a dry run. An expression on f.
-- Parameters: table_name; type_map: JSON. Slots: row_key; data_type: migration/rollback_data_type. Locks: none.
(
    SELECT {data_type}
    FROM (SELECT 1) AS o
    LEFT JOIN LATERAL (
        SELECT x.fact_key, x.data_type
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text
            AND x.fact_key = {row_key}
            AND memory_maintenance.mapped_axes(%(type_map)s::jsonb, x.data_type)
                = pg_catalog.jsonb_build_array(f.durability, f.category)
        LIMIT 1
    ) AS b ON true
)
