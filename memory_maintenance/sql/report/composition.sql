-- The facts by durability and category, reckoned at an instant (never from stored values).
-- Parameters: those of facts/projection. Slots: projected: the projection of all facts.
-- Result: durability, category (NULL: not classified), facts; mean_confidence, mean_importance over those
-- without a problem; below_threshold, problems: facts. Locks: none.
SELECT
    p.durability::text AS durability,
    p.category::text AS category,
    pg_catalog.count(*) AS facts,
    pg_catalog.avg(p.value) AS mean_confidence,
    pg_catalog.avg(p.effective_importance)::float8 AS mean_importance,
    pg_catalog.count(*) FILTER (WHERE p.value < %(threshold)s::float8) AS below_threshold,
    pg_catalog.count(p.problem) AS problems
FROM ({projected}) AS p
GROUP BY p.durability, p.category
ORDER BY pg_catalog.array_position(%(durabilities)s::text[], p.durability::text), facts DESC, category
