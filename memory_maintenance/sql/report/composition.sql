-- The facts by durability and category, reckoned at an instant (never from stored values).
-- Parameters: those of facts/projection. Slots: projected: the projection of all facts.
-- Result: durability, category (NULL: not classified), facts; mean_confidence, mean_importance over those
-- without a problem; below_threshold, problems: facts. Locks: none.
SELECT
    p.durability::text AS durability,
    p.category::text AS category,
    count(*) AS facts,
    avg(p.value) AS mean_confidence,
    avg(p.effective_importance)::float8 AS mean_importance,
    count(*) FILTER (WHERE p.value < %(threshold)s::float8) AS below_threshold,
    count(p.problem) AS problems
FROM ({projected}) AS p
GROUP BY p.durability, p.category
ORDER BY array_position(%(durabilities)s::text[], p.durability::text), facts DESC, category
