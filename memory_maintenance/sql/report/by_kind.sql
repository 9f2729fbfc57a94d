-- Facts by kind, with the first keys of each.
-- Parameters: listed: how many keys. Slots: kinds: a relation of kind text and key. Result: kind, facts, keys. Locks: none.
-- Numbered before they are gathered, so that no more keys are kept than are listed.
SELECT
    n.kind,
    pg_catalog.count(*) AS facts,
    pg_catalog.array_agg(n.key ORDER BY n.key) FILTER (WHERE n.place <= %(listed)s::int8) AS keys
FROM (
    SELECT k.kind, k.key, pg_catalog.row_number() OVER (PARTITION BY k.kind ORDER BY k.key) AS place
    FROM ({kinds}) AS k
) AS n
GROUP BY n.kind
