-- Rows that a CHECK of ours would refuse. The ids are looked up only where there are some.
-- Slots: facts, key; condition: of the CHECK. Result: rows bigint, ids text[]: the first five. Locks: none.
SELECT
    c.rows,
    CASE
        WHEN c.rows > 0 THEN ARRAY(
            SELECT f.{key}::text FROM {facts} AS f WHERE NOT ({condition}) ORDER BY f.{key} LIMIT 5
        )
        ELSE '{{}}'::text[]
    END AS ids
FROM (SELECT pg_catalog.count(*) AS rows FROM {facts} AS f WHERE NOT ({condition})) AS c
