-- The first keys of those that are below the archive threshold under one of two policies alone.
-- Parameters: those of report/comparison_rows; listed: how many of each. Slots: rows: that. Result: lost: whether they are below under
-- the other policy; keys: in order. Locks: none.
SELECT n.lost, pg_catalog.array_agg(n.key ORDER BY n.key) AS keys
FROM (
    SELECT
        c.key,
        c.low_after AS lost,
        pg_catalog.row_number() OVER (PARTITION BY c.low_after ORDER BY c.key) AS place
    FROM ({rows}) AS c
    WHERE c.low_before <> c.low_after
) AS n
WHERE n.place <= %(listed)s::int8
GROUP BY n.lost
