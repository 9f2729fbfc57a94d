-- Records that facts were retrieved (spec 4): never an earlier instant than is stored.
-- Parameters: keys: text[]; at. Slots: facts; key; source: the key that a text c.source names; patience: what to do about
-- a row that somebody holds.
-- Result: one row: recorded: the keys as text. Locks: the rows, in the order of their keys.
WITH written AS (
    UPDATE {facts} AS f
    SET last_accessed_at = greatest(f.last_accessed_at, %(at)s::timestamptz),
        access_count = least(coalesce(f.access_count, 0)::int8 + 1::int8, 2147483647::int8)::int4
    FROM (
        SELECT f.{key} AS key
        FROM {facts} AS f
        WHERE f.{key} = ANY (
            ARRAY(SELECT {source} FROM pg_catalog.unnest(%(keys)s::text[]) AS c (source))
        )
        ORDER BY f.{key}
        FOR NO KEY UPDATE OF f{patience}
    ) AS l
    WHERE f.{key} = l.key
    RETURNING f.{key} AS key
)
SELECT pg_catalog.array_agg(w.key::text ORDER BY w.key) AS recorded
FROM written AS w
