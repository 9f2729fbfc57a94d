-- The same as report/forecast, with keys.
-- Parameters: those of report/forecast_crossings; listed: how many keys of each day. Slots: crossings: that.
-- Result: that of report/forecast; keys: the first of the whole day, alike in all its rows. Locks: none.
WITH crossing AS MATERIALIZED (
    SELECT c.key, c.day, c.policy_no FROM ({crossings}) AS c
)
SELECT g.day, g.policy_no, g.facts, k.keys
FROM (
    SELECT c.day, c.policy_no, pg_catalog.count(*) AS facts FROM crossing AS c GROUP BY c.day, c.policy_no
) AS g
JOIN (
    SELECT n.day, pg_catalog.array_agg(n.key ORDER BY n.key) AS keys
    FROM (
        SELECT c.key, c.day, pg_catalog.row_number() OVER (PARTITION BY c.day ORDER BY c.key) AS place
        FROM crossing AS c
    ) AS n
    WHERE n.place <= %(listed)s::int8
    GROUP BY n.day
) AS k ON k.day = g.day
ORDER BY g.day, g.policy_no
