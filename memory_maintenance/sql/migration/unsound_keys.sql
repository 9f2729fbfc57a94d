-- The first facts of each old value that are unclassified or wrong: one scan, and a sort of them alone.
-- Parameters: type_map: JSON. Slots: facts, key; verdict: migration/verdict.
-- Result: data_type text or NULL, ids text[]: the first five. Locks: none.
SELECT
    r.data_type,
    pg_catalog.array_agg(r.key ORDER BY r.place) AS ids
FROM (
    SELECT
        f.data_type::text AS data_type,
        f.{key}::text AS key,
        pg_catalog.row_number() OVER (PARTITION BY f.data_type::text ORDER BY f.{key}) AS place
    FROM {facts} AS f
    WHERE {verdict} IN ('unclassified', 'wrong')
) AS r
WHERE r.place <= 5
GROUP BY r.data_type
