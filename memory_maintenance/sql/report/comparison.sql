-- The facts under two policies at one instant, counted in one pass.
-- Parameters: those of facts/projection, and the same for the other policy, each name after other_. Slots: reading: facts/reading; before, after: the
-- projection of its row r under either.
-- Result: kind: 15 for a policy before and one after (0: a data problem), 55 for a band of confidence before, 59 after, 61 for an
-- effective importance before, 62 after; bands and importances as in report/tallies; facts; confidence_before, confidence_after: sums; below_before,
-- below_after: facts below the threshold of either; lost: below it after and not before; gained: the other way round;
-- confidence_differs, importance_differs: facts. Locks: none.
-- Counted in two stages: the first can be divided among workers, and leaves little for the second.
WITH counted AS (
    SELECT
        c.policy_before,
        c.policy_after,
        pg_catalog.width_bucket(c.value_before, '{{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}}'::float8[]) AS band_before,
        pg_catalog.width_bucket(c.value_after, '{{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}}'::float8[]) AS band_after,
        c.importance_before,
        c.importance_after,
        pg_catalog.count(*) AS facts,
        pg_catalog.sum(c.value_before) AS confidence_before,
        pg_catalog.sum(c.value_after) AS confidence_after,
        pg_catalog.count(*) FILTER (WHERE c.low_before) AS below_before,
        pg_catalog.count(*) FILTER (WHERE c.low_after) AS below_after,
        pg_catalog.count(*) FILTER (WHERE c.low_after AND NOT c.low_before) AS lost,
        pg_catalog.count(*) FILTER (WHERE c.low_before AND NOT c.low_after) AS gained,
        pg_catalog.count(*) FILTER (WHERE c.value_before IS DISTINCT FROM c.value_after) AS confidence_differs
    FROM (
        SELECT
            b.policy_no AS policy_before,
            a.policy_no AS policy_after,
            b.value AS value_before,
            a.value AS value_after,
            b.value < %(threshold)s::float8 AS low_before,
            a.value < %(other_threshold)s::float8 AS low_after,
            b.effective_importance AS importance_before,
            a.effective_importance AS importance_after
        FROM ({reading}) AS r
        CROSS JOIN LATERAL ({before}) AS b
        CROSS JOIN LATERAL ({after}) AS a
        OFFSET 0
    ) AS c
    GROUP BY
        c.policy_before, c.policy_after, band_before, band_after, c.importance_before, c.importance_after
)
SELECT
    GROUPING(
        c.policy_before, c.policy_after, c.band_before, c.band_after, c.importance_before, c.importance_after
    ) AS kind,
    c.policy_before,
    c.policy_after,
    coalesce(c.band_before, c.band_after, c.importance_before::int4, c.importance_after::int4) AS step,
    pg_catalog.sum(c.facts)::int8 AS facts,
    pg_catalog.sum(c.confidence_before) AS confidence_before,
    pg_catalog.sum(c.confidence_after) AS confidence_after,
    pg_catalog.sum(c.below_before)::int8 AS below_before,
    pg_catalog.sum(c.below_after)::int8 AS below_after,
    pg_catalog.sum(c.lost)::int8 AS lost,
    pg_catalog.sum(c.gained)::int8 AS gained,
    pg_catalog.sum(c.confidence_differs)::int8 AS confidence_differs,
    coalesce(
        pg_catalog.sum(c.facts) FILTER (WHERE c.importance_before IS DISTINCT FROM c.importance_after), 0::numeric
    )::int8 AS importance_differs
FROM counted AS c
GROUP BY GROUPING SETS (
    (c.policy_before, c.policy_after),
    (c.band_before),
    (c.band_after),
    (c.importance_before),
    (c.importance_after)
)
ORDER BY kind, facts DESC, c.policy_before, c.policy_after, step
