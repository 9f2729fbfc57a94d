-- One batch of decay: examines a key range, locks what is due, computes it anew from the versions locked,
-- writes it and counts (spec 3, 9).
-- Parameters: those of facts/projection; first_key, last_key: the range, both ends included.
-- Slots: facts; key; key_type; reading: facts/reading; examined: the projection of that range; computed: the
-- projection of the relation locked; assignments.
-- Result: decay/tally. Locks: FOR NO KEY UPDATE on the rows that are due, in key order, then their update.
-- The range is repeated for every scan of the table: a join that may read outside of it would read all.
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
computed AS MATERIALIZED (
    {computed}
),
written AS (
    UPDATE {facts} AS t
    SET {assignments}
    FROM computed AS c
    WHERE c.due
        AND t.{key} = c.key
        AND t.{key} >= %(first_key)s::{key_type}
        AND t.{key} <= %(last_key)s::{key_type}
    RETURNING c.policy_no, c.confidence_changed, c.importance_changed
)
{tally}
