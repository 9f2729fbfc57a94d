-- Whether data_type is the way back of the axes that were kept. A condition on f and r. Parameters: type_map: JSON.
-- Locks: none.
f.data_type::text IS NOT DISTINCT FROM memory_maintenance.way_back(
    %(type_map)s::jsonb, r.kept ->> 'durability'::text, r.kept ->> 'category'::text, f.data_type::text
)
