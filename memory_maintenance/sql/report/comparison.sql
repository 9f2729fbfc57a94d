-- The facts under two policies at one instant, in one pass.
-- Parameters: those of report/comparison_rows; most: how many facts to name. Slots: rows: that.
-- Result: kind: 15 for a policy before and one after (0: a data problem), 55 for a band of confidence before, 59 after, 61 for an
-- effective importance before, 62 after; step: the band or importance, as in report/tallies; facts; confidence_before, confidence_after:
-- sums; below_before, below_after: facts below the threshold of either; lost: below it after and not before; gained: the other way round;
-- confidence_differs, importance_differs: facts; and alike in every row the facts that differ most, by confidence, then by importance:
-- moved, their keys, and moved_policy_before and so on, in the same order; NULL where none differs. Locks: none.
WITH compared AS MATERIALIZED (
    {rows}
),
counted AS (
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
    FROM compared AS c
    GROUP BY
        c.policy_before, c.policy_after, band_before, band_after, c.importance_before, c.importance_after
),
moved AS (
    SELECT
        t.key, t.policy_before, t.policy_after, t.value_before, t.value_after, t.importance_before, t.importance_after,
        pg_catalog.row_number() OVER (ORDER BY t.by_confidence DESC, t.by_importance DESC, t.key) AS place
    FROM (
        SELECT
            c.key, c.policy_before, c.policy_after, c.value_before, c.value_after, c.importance_before,
            c.importance_after,
            pg_catalog.abs(c.value_after - c.value_before) AS by_confidence,
            pg_catalog.abs(c.importance_after - c.importance_before) AS by_importance
        FROM compared AS c
        WHERE c.value_before <> c.value_after OR c.importance_before <> c.importance_after
        ORDER BY by_confidence DESC, by_importance DESC, c.key
        LIMIT %(most)s::int8
    ) AS t
)
SELECT
    g.kind,
    g.policy_before,
    g.policy_after,
    g.step,
    g.facts,
    g.confidence_before,
    g.confidence_after,
    g.below_before,
    g.below_after,
    g.lost,
    g.gained,
    g.confidence_differs,
    g.importance_differs,
    m.keys AS moved,
    m.policy_before AS moved_policy_before,
    m.policy_after AS moved_policy_after,
    m.value_before AS moved_value_before,
    m.value_after AS moved_value_after,
    m.importance_before AS moved_importance_before,
    m.importance_after AS moved_importance_after
FROM (
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
) AS g
CROSS JOIN (
    SELECT
        pg_catalog.array_agg(m.key ORDER BY m.place) AS keys,
        pg_catalog.array_agg(m.policy_before ORDER BY m.place) AS policy_before,
        pg_catalog.array_agg(m.policy_after ORDER BY m.place) AS policy_after,
        pg_catalog.array_agg(m.value_before ORDER BY m.place) AS value_before,
        pg_catalog.array_agg(m.value_after ORDER BY m.place) AS value_after,
        pg_catalog.array_agg(m.importance_before ORDER BY m.place) AS importance_before,
        pg_catalog.array_agg(m.importance_after ORDER BY m.place) AS importance_after
    FROM moved AS m
) AS m
ORDER BY g.kind, g.facts DESC, g.policy_before, g.policy_after, g.step
