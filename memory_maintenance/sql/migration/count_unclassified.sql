-- How many facts have no axes, and the first of them. Slots: facts, key.
-- Result: rows bigint, ids text[]: the first five. Locks: none.
SELECT
    pg_catalog.count(*) AS rows,
    ARRAY(
        SELECT f.{key}::text FROM {facts} AS f
        WHERE f.durability IS NULL OR f.category IS NULL ORDER BY f.{key} LIMIT 5
    ) AS ids
FROM {facts} AS f
WHERE f.durability IS NULL OR f.category IS NULL
