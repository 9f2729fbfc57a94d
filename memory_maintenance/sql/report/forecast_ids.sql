-- The first keys of those that fall below the archive threshold, by day.
-- Parameters: those of report/forecast_crossings; listed: how many of each day. Slots: crossings: that.
-- Result: day: from 1; keys: in order. Locks: none.
SELECT n.day, pg_catalog.array_agg(n.key ORDER BY n.key) AS keys
FROM (
    SELECT c.key, c.day, pg_catalog.row_number() OVER (PARTITION BY c.day ORDER BY c.key) AS place
    FROM ({crossings}) AS c
) AS n
WHERE n.place <= %(listed)s::int8
GROUP BY n.day
