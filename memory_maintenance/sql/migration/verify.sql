-- Is every old value accounted for? One row a value (NULL included): how many rows there are, how many
-- have the axes of the map, how many have axes of their own whose way back the value is, and the rest.
-- Parameters: type_map: JSON. Slots: facts, key.
-- Result: data_type, rows, mapped, own_axes, unclassified, wrong: bigint; ids text[]: the first five that
-- are unclassified or wrong. Locks: none.
SELECT
    v.data_type,
    pg_catalog.count(*) AS rows,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'mapped') AS mapped,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'own axes') AS own_axes,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'unclassified') AS unclassified,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'wrong') AS wrong,
    coalesce(
        (pg_catalog.array_agg(v.key ORDER BY v.place) FILTER (WHERE v.verdict IN ('unclassified', 'wrong')))[1:5], '{{}}'
    ) AS ids
FROM (
    SELECT
        f.data_type::text AS data_type,
        f.{key}::text AS key,
        f.{key} AS place,
        CASE
            WHEN f.durability IS NULL OR f.category IS NULL THEN 'unclassified'
            WHEN memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text)
                = pg_catalog.jsonb_build_array(f.durability, f.category) THEN 'mapped'
            WHEN memory_maintenance.mapped_axes(%(type_map)s::jsonb, f.data_type::text) IS NOT NULL
                AND f.data_type::text IS NOT DISTINCT FROM memory_maintenance.way_back(
                    %(type_map)s::jsonb, f.durability::text, f.category::text, f.data_type::text
                ) THEN 'own axes'
            ELSE 'wrong'
        END AS verdict
    FROM {facts} AS f
) AS v
GROUP BY v.data_type
ORDER BY rows DESC, v.data_type
