-- The facts with something wrong: left alone, or with a clock later than now and computed all the same.
-- Parameters: those of facts/projection; listed: how many to show. Slots: projected: the projection of all.
-- Result: problem text, facts bigint: of that problem; keys: the first so many. Locks: none.
SELECT
    coalesce(p.problem, p.notice) AS problem,
    pg_catalog.count(*) AS facts,
    (pg_catalog.array_agg(p.key ORDER BY p.key))[1:%(listed)s] AS keys
FROM ({projected}) AS p
WHERE coalesce(p.problem, p.notice) IS NOT NULL
GROUP BY 1
ORDER BY facts DESC, problem
