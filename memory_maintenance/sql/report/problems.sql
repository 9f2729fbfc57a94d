-- The facts with something wrong: left alone, or with a clock later than now and computed all the same.
-- Parameters: those of facts/projection; listed: how many to show. Slots: projected: the projection of all.
-- Result: problem text, facts bigint: of that problem; keys: the first so many. Locks: none.
-- Numbered before they are gathered, so that no more keys are kept than are shown.
SELECT
    n.problem,
    pg_catalog.count(*) AS facts,
    pg_catalog.array_agg(n.key ORDER BY n.key) FILTER (WHERE n.place <= %(listed)s::int8) AS keys
FROM (
    SELECT
        coalesce(p.problem, p.notice) AS problem,
        p.key,
        pg_catalog.row_number() OVER (PARTITION BY coalesce(p.problem, p.notice) ORDER BY p.key) AS place
    FROM ({projected}) AS p
    WHERE coalesce(p.problem, p.notice) IS NOT NULL
) AS n
GROUP BY n.problem
ORDER BY facts DESC, n.problem
