-- Moods that are still alive, and how long the oldest has been known.
-- Parameters: those of facts/projection; listed: how many keys. Slots: facts; key; learned_at: a timestamptz expression; projected: the
-- projection of the moods. Result: a row: moods, alive (confidence at or above the threshold): facts; oldest_s: seconds since the oldest of these
-- was learned, NULL where none says it; keys: the first of those alive. Locks: none.
SELECT
    pg_catalog.count(*) AS moods,
    pg_catalog.count(*) FILTER (WHERE m.alive) AS alive,
    pg_catalog.max(
        pg_catalog.date_part('epoch'::text, %(as_of)s::timestamptz - m.learned_at)
    ) FILTER (WHERE m.alive AND pg_catalog.isfinite(m.learned_at)) AS oldest_s,
    pg_catalog.array_agg(m.key ORDER BY m.key) FILTER (WHERE m.alive AND m.place <= %(listed)s::int8) AS keys
FROM (
    SELECT
        p.key,
        {learned_at} AS learned_at,
        p.value IS NOT NULL AND p.value >= %(threshold)s::float8 AS alive,
        pg_catalog.row_number() OVER (
            PARTITION BY p.value IS NOT NULL AND p.value >= %(threshold)s::float8 ORDER BY p.key
        ) AS place
    FROM ({projected}) AS p
    JOIN {facts} AS f ON f.{key} = p.key
    OFFSET 0
) AS m
