-- Whether a row's axes are a writer's own: not what the map makes of its data_type. A condition on f.
-- Parameters: type_map: JSON. Slots: data_type: the column as text, or NULL where there is none. Locks: none.
f.durability IS NOT NULL
AND f.category IS NOT NULL
AND pg_catalog.jsonb_build_array(f.durability, f.category) <> coalesce(
    memory_maintenance.mapped_axes(%(type_map)s::jsonb, {data_type}), '["long_term", "observation"]'::jsonb
)
