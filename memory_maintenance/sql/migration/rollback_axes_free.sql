-- Whether a row's axes are what the map makes of its data_type, that is what it was, and the kept axes would
-- leave it so. A condition on f and r. Parameters: type_map: JSON. Slots: sound: the latter, migration/rollback_axes_sound
-- or true; data_type: the column as text, or NULL
-- where there is none. Locks: none.
(
    {data_type} IS NOT DISTINCT FROM r.kept ->> 'data_type'::text
    AND pg_catalog.jsonb_build_array(f.durability, f.category) = coalesce(
        memory_maintenance.mapped_axes(%(type_map)s::jsonb, {data_type}), '["long_term", "observation"]'::jsonb
    )
    AND {sound}
)
