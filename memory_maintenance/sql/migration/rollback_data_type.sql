-- The data_type that a row gets back: what was kept aside, while the map takes that to the row's axes, else the
-- way back. An expression on f and b (memory_maintenance.data_type_backup, or nothing of it).
-- Parameters: type_map: JSON. Locks: none.
CASE
    WHEN b.fact_key IS NOT NULL
        AND memory_maintenance.mapped_axes(%(type_map)s::jsonb, b.data_type)
            = pg_catalog.jsonb_build_array(f.durability, f.category) THEN b.data_type
    ELSE memory_maintenance.data_type_of(f.durability::text, f.category::text)
END
