-- What fell below the archive threshold, or expired, between an instant and the report's, by the state that facts have now.
-- Parameters: those of facts/projection; since; listed: how many keys of each policy; most: how many of the most important.
-- Slots: reading: facts/reading; now, earlier: the projection of its row r at the report's instant and at since.
-- Result: policy_no: that which governs now (2: expired); facts; keys: the first of them by key; top: the most important of all, by
-- importance, then by key, as far as they have this policy; top_places: the places of these, from 1; top_importance; top_confidence,
-- now. Locks: none.
-- Whoever set or confirmed a fact in between has it start anew: what was above the threshold since is not faded unless it fell again.
-- The earlier instant needs no freezing of base and anchor: no clock counts as later than the instant of the projection.
WITH faded AS (
    SELECT n.key, n.policy_no, n.importance, n.value
    FROM ({reading}) AS r
    CROSS JOIN LATERAL ({now}) AS n
    CROSS JOIN LATERAL ({earlier}) AS e
    WHERE n.problem IS NULL
        AND (
            (n.policy_no = 2::int4 AND e.policy_no <> 2::int4)
            OR (
                n.policy_no <> 2::int4
                AND n.value < %(threshold)s::float8
                AND e.value >= %(threshold)s::float8
            )
        )
),
numbered AS (
    SELECT
        f.key,
        f.policy_no,
        f.importance,
        f.value,
        pg_catalog.row_number() OVER (PARTITION BY f.policy_no ORDER BY f.key) AS place,
        pg_catalog.row_number() OVER (ORDER BY f.importance DESC, f.key) AS rank
    FROM faded AS f
)
SELECT
    n.policy_no,
    pg_catalog.count(*) AS facts,
    pg_catalog.array_agg(n.key ORDER BY n.key) FILTER (WHERE n.place <= %(listed)s::int8) AS keys,
    pg_catalog.array_agg(n.key ORDER BY n.rank) FILTER (WHERE n.rank <= %(most)s::int8) AS top,
    pg_catalog.array_agg(n.rank ORDER BY n.rank) FILTER (WHERE n.rank <= %(most)s::int8) AS top_places,
    pg_catalog.array_agg(n.importance::int4 ORDER BY n.rank) FILTER (WHERE n.rank <= %(most)s::int8) AS top_importance,
    pg_catalog.array_agg(n.value ORDER BY n.rank) FILTER (WHERE n.rank <= %(most)s::int8) AS top_confidence
FROM numbered AS n
GROUP BY n.policy_no
ORDER BY facts DESC, n.policy_no
