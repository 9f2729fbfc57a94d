-- The facts that backfill has to write where the map has changed: those not yet classified, and those that
-- still are where the former map put them, and where the new map doesn't. A value that the former map
-- lacked was long_term/observation. A condition on f; needs nothing of our schema, since a dry run comes before it.
-- Parameters: former_map, type_map: JSON. Locks: none.
f.durability IS NULL
OR f.category IS NULL
OR (
    pg_catalog.jsonb_build_array(f.durability, f.category) = coalesce(
        CASE
            WHEN f.data_type IS NULL THEN %(former_map)s::jsonb -> 'null'::text
            ELSE %(former_map)s::jsonb -> 'values'::text -> f.data_type::text
        END,
        '["long_term", "observation"]'::jsonb
    )
    AND pg_catalog.jsonb_build_array(f.durability, f.category) <> CASE
        WHEN f.data_type IS NULL THEN %(type_map)s::jsonb -> 'null'::text
        ELSE %(type_map)s::jsonb -> 'values'::text -> f.data_type::text
    END
)
