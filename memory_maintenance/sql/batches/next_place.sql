-- Where a batch of about so many rows ends in a table without a key, by the places of its rows. Unordered on
-- purpose: rows come in the order of their places, so that no batch reads the rest of the table to sort it; where
-- they don't, a batch is larger, and none is left out.
-- Parameters: first_key; last_key: of the pass; rows. Slots: facts, key, key_type.
-- Result: last_key of the batch (NULL: the pass ends before so many rows), next_key (NULL: none). Locks: none.
SELECT
    CASE WHEN b.rows >= %(rows)s::int8 THEN b.last_key END AS last_key,
    CASE
        WHEN b.rows >= %(rows)s::int8 THEN pg_catalog.format(
            '(%%s,%%s)',
            (b.last_key::text::pg_catalog.point)[0]::int8,
            (b.last_key::text::pg_catalog.point)[1]::int8 + 1
        )::{key_type}
    END AS next_key
FROM (
    SELECT pg_catalog.count(*) AS rows, pg_catalog.max(k.key) AS last_key
    FROM (
        SELECT f.{key} AS key
        FROM {facts} AS f
        WHERE f.{key} >= %(first_key)s::{key_type} AND f.{key} <= %(last_key)s::{key_type}
        LIMIT %(rows)s::int8
    ) AS k
) AS b
