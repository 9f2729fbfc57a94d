-- Raises an error where a stored value is not in the map, before a script changes anything.
-- Parameters: type_map: JSON. Slots: facts. Result: one row. Locks: none.
SELECT CASE
    WHEN pg_catalog.count(*) > 0 THEN memory_maintenance.refuse(
        pg_catalog.format('the map of data_type lacks the values of %%s facts', pg_catalog.count(*))
    )
    ELSE false
END AS refused
FROM {facts} AS f
WHERE f.data_type IS NOT NULL
    AND memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text) IS NULL
