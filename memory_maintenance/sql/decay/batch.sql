-- One batch of decay: examines a key range, locks what is due, writes it from the versions locked, counts
-- (spec 3, 9).
-- Parameters: those of facts/projection; first_key, last_key: the range, both ends included.
-- Slots: facts; key; key_type; reading: facts/reading; examined: the projection of that range; overtaken: the
-- projection of the relation changed; assignments; tally.
-- Result: decay/tally. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then their update.
-- A row that is still the version examined when its lock is got keeps what was computed for it; one that a
-- writer changed in between is computed anew, from the version locked. The range is repeated for every scan
-- of the table: a join that may read outside of it would read all.
WITH examined AS MATERIALIZED (
    {examined}
),
locked AS MATERIALIZED (
    {reading}
    WHERE f.{key} >= %(first_key)s::{key_type}
        AND f.{key} <= %(last_key)s::{key_type}
        AND f.{key} = ANY (ARRAY(SELECT e.key FROM examined AS e WHERE e.due))
    ORDER BY f.{key}
    FOR NO KEY UPDATE OF f
),
changed AS MATERIALIZED (
    SELECT
        l.key, l.version, l.durability, l.category, l.confidence, l.confidence_base,
        l.confidence_anchor_at, l.confidence_written, l.decay_rate, l.last_confirmed_at, l.learned_at,
        l.last_accessed_at, l.expires, l.importance, l.effective_importance, l.pinned
    FROM locked AS l
    JOIN examined AS e ON e.key = l.key
    WHERE e.version <> l.version
),
computed AS MATERIALIZED (
    SELECT
        e.key, e.policy_no, e.new_confidence, e.base, e.anchor_at, e.new_effective_importance,
        e.confidence_changed, e.importance_changed
    FROM locked AS l
    JOIN examined AS e ON e.key = l.key
    WHERE e.version = l.version
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
    RETURNING c.policy_no, c.confidence_changed, c.importance_changed
)
{tally}
