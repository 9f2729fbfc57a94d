-- Halves the days between which a fact f crosses the threshold; leaves a single one as it is. A fragment.
-- Parameters: those of facts/projection. Slots: span: the alias of the span before; at: report/forecast_at of m.middle; projected:
-- the projection of f at t.at. Result: first, when the fact isn't below, and last, when it is: numbers of days.
SELECT
    CASE WHEN p.value < %(threshold)s::float8 THEN t.first ELSE t.middle END AS first,
    CASE WHEN p.value < %(threshold)s::float8 THEN t.middle ELSE t.last END AS last
FROM (
    SELECT m.first, m.middle, m.last, {at} AS at
    FROM (SELECT {span}.first, ({span}.first + {span}.last) / 2::int4 AS middle, {span}.last OFFSET 0) AS m
    OFFSET 0
) AS t
CROSS JOIN LATERAL ({projected}) AS p
