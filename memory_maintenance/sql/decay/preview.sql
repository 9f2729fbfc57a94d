-- The same batch for a dry run: counts what decay/batch would write, and writes nothing.
-- Parameters: as decay/batch. Slots: examined, tally. Result: decay/tally. Locks: none.
WITH examined AS MATERIALIZED (
    {examined}
),
written AS (
    SELECT e.policy_no, e.confidence_changed, e.importance_changed, false AS altered
    FROM examined AS e
    WHERE e.due
)
{tally}
