-- The same where there is no data_type: is every row classified? The ids are looked up only where there are some.
-- Slots: facts, key. Result: rows, unclassified bigint; ids text[]: the first five. Locks: none.
SELECT
    c.rows,
    c.unclassified,
    CASE
        WHEN c.unclassified > 0 THEN ARRAY(
            SELECT f.{key}::text FROM {facts} AS f
            WHERE f.durability IS NULL OR f.category IS NULL
            ORDER BY f.{key} LIMIT 5
        )
        ELSE '{{}}'::text[]
    END AS ids
FROM (
    SELECT
        pg_catalog.count(*) AS rows,
        pg_catalog.count(*) FILTER (WHERE f.durability IS NULL OR f.category IS NULL) AS unclassified
    FROM {facts} AS f
) AS c
