-- Candidates ranked by similarity and effective importance at an instant (spec 4), the best k of them.
-- Parameters: those of facts/projection and recall/candidate; sources: keys of facts as text, similarities: float8, of the
-- candidates; gate: the least similarity; k; importance_weight: 0..1; weighted_categories, category_weights: arrays.
-- Slots: reading: facts/reading; projected: the projection of recall/reading; source: the key that a candidate's text c.source
-- names; facts; key; name, value: as text.
-- Result: one row: found: how many there are in all; arrays, best first: ids, keys, texts, categories, durabilities,
-- similarities, importances, effective_importances, scores, explanations. Locks: none.
-- A fact with several embeddings counts as its nearest. Of a row with a data problem nobody knows the importance: 5.
WITH candidates AS MATERIALIZED (
    SELECT c.key, pg_catalog.max(c.similarity) AS similarity
    FROM (
        SELECT {source} AS key, c.similarity
        FROM ROWS FROM (
            pg_catalog.unnest(%(sources)s::text[]), pg_catalog.unnest(%(similarities)s::float8[])
        ) AS c (source, similarity)
        -- NaN is greater than any number.
        WHERE c.similarity BETWEEN %(gate)s::float8 AND 2::float8
        OFFSET 0
    ) AS c
    GROUP BY c.key
)
SELECT
    coalesce(pg_catalog.max(t.found), 0::int8) AS found,
    pg_catalog.array_agg(t.id ORDER BY t.place) AS ids,
    pg_catalog.array_agg(t.name ORDER BY t.place) AS keys,
    pg_catalog.array_agg(t.value ORDER BY t.place) AS texts,
    pg_catalog.array_agg(t.category ORDER BY t.place) AS categories,
    pg_catalog.array_agg(t.durability ORDER BY t.place) AS durabilities,
    pg_catalog.array_agg(t.similarity ORDER BY t.place) AS similarities,
    pg_catalog.array_agg(t.importance ORDER BY t.place) AS importances,
    pg_catalog.array_agg(t.effective_importance ORDER BY t.place) AS effective_importances,
    pg_catalog.array_agg(t.score ORDER BY t.place) AS scores,
    pg_catalog.array_agg(t.explanation ORDER BY t.place) AS explanations
FROM (
    SELECT
        s.found,
        s.place,
        s.key::text AS id,
        {name} AS name,
        {value} AS value,
        s.category,
        s.durability,
        s.similarity,
        s.importance,
        s.effective_importance,
        s.score,
        {explanation} AS explanation
    FROM (
        SELECT
            r.key, r.category, r.durability, r.similarity, r.importance, r.effective_importance, r.problem, r.exempt,
            r.update_age_s, r.access_age_s, r.weight, r.category_weight,
            r.similarity * r.weight * r.category_weight AS score,
            pg_catalog.row_number() OVER (
                ORDER BY r.similarity * r.weight * r.category_weight DESC, r.key
            ) AS place,
            pg_catalog.count(*) OVER () AS found
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
            -- Expired (spec 3); an obligation past its deadline is overdue, no more.
            WHERE p.policy_no <> 2
                AND (
                    p.problem IS NULL
                    OR p.category::text = 'obligation'::text
                    OR NOT coalesce(p.expires <= %(as_of)s, false)
                )
            OFFSET 0
        ) AS r
    ) AS s
    JOIN {facts} AS f ON f.{key} = s.key
    WHERE s.place <= %(k)s
) AS t
