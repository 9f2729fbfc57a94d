-- The first keys of some groups of report/duplicates.
-- Parameters: hashes: value_hash of these; listed: how many keys of each. Slots: said: report/said.
-- Result: keys of a group, in order; there may be groups that weren't asked for. Locks: none.
SELECT pg_catalog.array_agg(n.key ORDER BY n.key) AS keys
FROM (
    SELECT
        s.key, s.entity, s.name_hash, s.value_hash, s.more_hash,
        pg_catalog.row_number() OVER (
            PARTITION BY s.entity, s.name_hash, s.value_hash, s.more_hash ORDER BY s.key
        ) AS place
    FROM ({said}) AS s
    WHERE s.value_hash = ANY (%(hashes)s::int8[])
) AS n
WHERE n.place <= %(listed)s::int8
GROUP BY n.entity, n.name_hash, n.value_hash, n.more_hash
