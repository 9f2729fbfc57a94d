-- The facts by durability and category, by confidence and by effective importance, reckoned at an instant (never from stored
-- values) in one pass.
-- Parameters: those of facts/projection. Slots: projected: the projection of all facts.
-- Result: kind: 3 for a durability and category (NULL: not classified), 5 for a band, from 0 for confidence in [0, 0.1) to
-- 9 for [0.9, 1], 6 for an effective importance; facts; confidence_sum, importance_sum over those without a problem, whose band and
-- importance are NULL; below_threshold, problems, noticed (a clock later than now): facts. Locks: none.
-- Counted in two stages: the first can be divided among workers, and leaves little for the second.
WITH counted AS (
    SELECT
        p.durability,
        p.category,
        pg_catalog.width_bucket(p.value, '{{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}}'::float8[]) AS band,
        p.effective_importance AS importance,
        pg_catalog.count(*) AS facts,
        pg_catalog.sum(p.value) AS confidence_sum,
        pg_catalog.count(*) FILTER (WHERE p.value < %(threshold)s::float8) AS below_threshold,
        pg_catalog.count(p.problem) AS problems,
        pg_catalog.count(*) FILTER (WHERE p.problem IS NULL AND p.notice IS NOT NULL) AS noticed
    FROM ({projected}) AS p
    GROUP BY p.durability, p.category, band, p.effective_importance
)
SELECT
    GROUPING(c.category, c.band, c.importance) AS kind,
    c.durability::text AS durability,
    c.category::text AS category,
    c.band,
    c.importance::int4 AS importance,
    pg_catalog.sum(c.facts)::int8 AS facts,
    pg_catalog.sum(c.confidence_sum) AS confidence_sum,
    pg_catalog.sum(c.importance::int8 * c.facts)::int8 AS importance_sum,
    pg_catalog.sum(c.below_threshold)::int8 AS below_threshold,
    pg_catalog.sum(c.problems)::int8 AS problems,
    pg_catalog.sum(c.noticed)::int8 AS noticed
FROM counted AS c
GROUP BY GROUPING SETS ((c.durability, c.category), (c.band), (c.importance))
ORDER BY
    kind,
    pg_catalog.array_position(%(durabilities)s::text[], c.durability::text),
    facts DESC,
    c.category,
    c.band,
    importance
