-- The same where there is no data_type: is every row classified?
-- Slots: facts, key. Result: rows, unclassified bigint; ids text[]: the first five. Locks: none.
SELECT
    pg_catalog.count(*) AS rows,
    pg_catalog.count(*) FILTER (WHERE f.durability IS NULL OR f.category IS NULL) AS unclassified,
    coalesce(
        (
            pg_catalog.array_agg(f.{key}::text ORDER BY f.{key})
            FILTER (WHERE f.durability IS NULL OR f.category IS NULL)
        )[1:5],
        '{{}}'
    ) AS ids
FROM {facts} AS f
