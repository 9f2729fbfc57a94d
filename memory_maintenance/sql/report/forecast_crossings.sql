-- The facts that fall below the archive threshold within days after the report's instant, by the day. A fragment.
-- Parameters: those of facts/projection; until: the forecast's end; days: how many.
-- Slots: reading: facts/reading; now: the projection of its row r at the report's instant; spans: report/forecast_whole or
-- forecast_days; first_at, last_at: report/forecast_at of i.first and i.last; at_first, at_last: the projection of
-- report/forecast_frozen at s.first_at and s.last_at; steps: report/forecast_step, as often as it takes to get to one day, each joined
-- LATERAL; found: the alias of the last; found_at: report/forecast_at of its last; at_found: the projection of report/forecast_frozen at x.at.
-- Result: key; day: from 1; policy_no: that which governs at the day's end. Locks: none.
-- Confidence never rises within a span: whoever isn't below at its beginning and is at its end crosses once. OFFSET 0 has the planner
-- find those first: few facts need halving.
SELECT f.key, x.day, p.policy_no
FROM (
    SELECT
        f.key, f.version, f.durability, f.category, f.confidence, f.base, f.anchor_at, f.decay_rate,
        f.last_confirmed_at, f.learned_at, f.last_accessed_at, f.expires, f.settled, f.importance,
        f.effective_importance, f.pinned, s.first, s.last
    FROM (
        SELECT
            r.key, r.version, r.durability, r.category, r.confidence, n.base, n.anchor_at, r.decay_rate,
            r.last_confirmed_at, r.learned_at, r.last_accessed_at, r.expires, r.settled, r.importance,
            r.effective_importance, r.pinned
        FROM ({reading}) AS r
        CROSS JOIN LATERAL ({now}) AS n
        WHERE n.problem IS NULL
        OFFSET 0
    ) AS f
    CROSS JOIN LATERAL (
        SELECT i.first, i.last, {first_at} AS first_at, {last_at} AS last_at FROM ({spans}) AS i OFFSET 0
    ) AS s
    CROSS JOIN LATERAL ({at_last}) AS e
    CROSS JOIN LATERAL ({at_first}) AS b
    WHERE b.value >= %(threshold)s::float8 AND e.value < %(threshold)s::float8
    OFFSET 0
) AS f
{steps}
CROSS JOIN LATERAL (SELECT {found}.last AS day, {found_at} AS at OFFSET 0) AS x
CROSS JOIN LATERAL ({at_found}) AS p
