-- The first facts of some old values: one scan, and a sort of theirs alone, which may go to disk.
-- Slots: facts, key. Parameters: data_types text[]. Result: data_type text, ids text[]: the first five. Locks: none.
SELECT
    r.data_type,
    pg_catalog.array_agg(r.key ORDER BY r.place) AS ids
FROM (
    SELECT
        f.data_type::text AS data_type,
        f.{key}::text AS key,
        pg_catalog.row_number() OVER (PARTITION BY f.data_type::text ORDER BY f.{key}) AS place
    FROM {facts} AS f
    WHERE f.data_type::text = ANY (%(data_types)s::text[])
) AS r
WHERE r.place <= 5
GROUP BY r.data_type
