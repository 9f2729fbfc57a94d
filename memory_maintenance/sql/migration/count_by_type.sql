-- Rows by old value, before or after. Slots: facts, key; unclassified: a condition.
-- Result: data_type text or NULL, rows bigint, unclassified bigint, ids text[]: the first five. Locks: none.
SELECT
    f.data_type::text AS data_type,
    count(*) AS rows,
    count(*) FILTER (WHERE {unclassified}) AS unclassified,
    (array_agg(f.{key}::text ORDER BY f.{key}))[1:5] AS ids
FROM {facts} AS f
GROUP BY f.data_type::text
ORDER BY rows DESC, data_type
