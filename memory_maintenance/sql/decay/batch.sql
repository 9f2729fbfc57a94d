-- One batch of decay: examines a key range, locks what is due, writes it from the versions locked, counts
-- (spec 3, 9).
-- Parameters: those of facts/projection; first_key, last_key: the range, both ends included.
-- Slots: facts; key; key_type; reading: facts/reading, with decay/examined_columns; examined: the projection of
-- that range; overtaken: the projection of decay/overtaken; assignments; tally.
-- Result: decay/tally. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then their update.
-- A row that is still the version examined when its lock is got keeps what was computed for it; one that a
-- writer changed in between is computed anew, from the version locked. The keys are repeated for every scan
-- of the table, as a range and as a list: a join alone would read all of the table, or probe its index row by row.
WITH examined AS MATERIALIZED (
    {examined}
),
locked AS MATERIALIZED (
    {reading}
    JOIN examined AS e ON e.key = f.{key}
    WHERE e.due
        AND f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND f.{key} = ANY (ARRAY(SELECT x.key FROM examined AS x WHERE x.due))
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
computed AS MATERIALIZED (
    SELECT
        l.key, l.policy_no, l.new_confidence, l.base, l.anchor_at, l.new_effective_importance,
        l.confidence_changed, l.importance_changed
    FROM locked AS l
    WHERE l.version = l.examined_version
    UNION ALL
    SELECT
        o.key, o.policy_no, o.new_confidence, o.base, o.anchor_at, o.new_effective_importance,
        o.confidence_changed, o.importance_changed
    FROM (
        {overtaken}
    ) AS o
    WHERE o.due
),
written AS (
    UPDATE {facts} AS t
    SET {assignments}
    FROM computed AS c
    WHERE t.{key} = c.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
        AND t.{key} = ANY (ARRAY(SELECT x.key FROM computed AS x))
    RETURNING
        c.policy_no,
        c.confidence_changed,
        c.importance_changed,
        t.confidence IS DISTINCT FROM c.new_confidence AS altered
)
{tally}
