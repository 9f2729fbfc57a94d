-- Where a batch of so many rows ends, and where the one after it starts.
-- Parameters: first_key; last_key: of the pass; rows. Slots: facts, key, key_type.
-- Result: last_key of the batch (NULL: the pass ends before so many rows), next_key (NULL: none). Locks: none.
SELECT
    (pg_catalog.array_agg(k.key ORDER BY k.key))[1] AS last_key,
    (pg_catalog.array_agg(k.key ORDER BY k.key))[2] AS next_key
FROM (
    SELECT f.{key} AS key
    FROM {facts} AS f
    WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
    ORDER BY f.{key}
    LIMIT 2 OFFSET %(rows)s::int8 - 1::int8
) AS k
