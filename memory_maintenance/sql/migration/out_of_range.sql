-- Rows that a CHECK of ours would refuse. Slots: facts, key; condition: of the CHECK.
-- Result: rows bigint, ids text[]: the first five. Locks: none.
SELECT
    pg_catalog.count(*) AS rows,
    coalesce((pg_catalog.array_agg(f.{key}::text ORDER BY f.{key}))[1:5], '{{}}') AS ids
FROM {facts} AS f
WHERE NOT ({condition})
