-- What verify says of a fact: 'mapped', 'own axes' (a writer's, whose way back its old value is),
-- 'unclassified' or 'wrong'. An expression on f. Parameters: type_map: JSON. Locks: none.
CASE
    WHEN f.durability IS NULL OR f.category IS NULL THEN 'unclassified'::text
    WHEN memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text)
        = pg_catalog.jsonb_build_array(f.durability, f.category) THEN 'mapped'::text
    WHEN memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text) IS NOT NULL
        AND f.data_type::text IS NOT DISTINCT FROM memory_maintenance.way_back(
            %(type_map)s::jsonb, f.durability::text, f.category::text, f.data_type::text
        ) THEN 'own axes'::text
    ELSE 'wrong'::text
END
