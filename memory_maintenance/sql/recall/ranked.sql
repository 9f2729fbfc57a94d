-- The facts near to a query, ranked by similarity and effective importance at an instant (spec 4), the best k of them.
-- Parameters: those of facts/projection, recall/candidate and near; gate: the least similarity; k; explained: whether
-- explanations are wanted; importance_weight: 0..1; weighted_categories, category_weights: arrays.
-- Slots: near: the candidates, recall/by_index, by_distance or by_text; reading: facts/reading; projected: the projection of
-- recall/reading; source: the key that a candidate's text c.source names; facts; key; name, value: as text; explanation.
-- Result: one row: returned: how many candidates there were; lowest: the least of their similarities; ids: the
-- facts' keys as text; facts: records, as recall gives them; both best first. Locks: none.
-- A fact with several embeddings counts as its nearest. Of a row with a data problem nobody knows the importance: 5.
WITH near AS MATERIALIZED ({near}),
candidates AS MATERIALIZED (
    SELECT c.key, pg_catalog.max(c.similarity) AS similarity
    FROM (
        SELECT {source} AS key, c.similarity
        FROM near AS c
        -- NaN is greater than any number.
        WHERE c.similarity BETWEEN %(gate)s::float8 AND 2::float8
        OFFSET 0
    ) AS c
    GROUP BY c.key
)
SELECT
    (SELECT pg_catalog.count(*) FROM near) AS returned,
    (SELECT pg_catalog.min(c.similarity) FROM near AS c) AS lowest,
    pg_catalog.array_agg(t.id) AS ids,
    pg_catalog.array_agg(t) AS facts
FROM (
    SELECT
        s.key::text AS id,
        {name} AS name,
        {value} AS value,
        s.category,
        s.durability,
        s.similarity,
        s.importance,
        s.effective_importance,
        s.score,
        CASE WHEN %(explained)s::bool THEN {explanation} END AS explanation
    FROM (
        SELECT r.*, r.similarity * r.weight * r.category_weight AS score
        FROM (
            SELECT
                p.key,
                p.category::text AS category,
                p.durability::text AS durability,
                c.similarity,
                p.importance::int4 AS importance,
                coalesce(p.effective_importance::int4, 5) AS effective_importance,
                p.problem,
                p.exempt,
                p.update_age_s,
                p.access_age_s,
                1::float8 - %(importance_weight)s::float8
                    + %(importance_weight)s::float8 * coalesce(p.effective_importance::int4, 5)::float8 / 10::float8
                    AS weight,
                coalesce(
                    (%(category_weights)s::float8[])[
                        pg_catalog.array_position(%(weighted_categories)s::text[], p.category::text)
                    ],
                    1::float8
                ) AS category_weight
            FROM ({projected}) AS p
            JOIN candidates AS c ON c.key = p.key
            OFFSET 0
        ) AS r
        ORDER BY score DESC, r.key
        LIMIT %(k)s::int4
    ) AS s
    JOIN {facts} AS f ON f.{key} = s.key
    ORDER BY s.score DESC, s.key
) AS t
