-- The facts under two policies at one instant. A fragment.
-- Parameters: those of facts/projection, and the same for the other policy, each name after other_. Slots: reading: facts/reading; before,
-- after: the projection of its row r under either. Result: key; value_before, value_after, importance_before, importance_after, policy_before,
-- policy_after (0 for a data problem); low_before, low_after: whether below the threshold of either. Locks: none.
SELECT
    b.key,
    b.policy_no AS policy_before,
    a.policy_no AS policy_after,
    b.value AS value_before,
    a.value AS value_after,
    b.value < %(threshold)s::float8 AS low_before,
    a.value < %(other_threshold)s::float8 AS low_after,
    b.effective_importance::int4 AS importance_before,
    a.effective_importance::int4 AS importance_after
FROM ({reading}) AS r
CROSS JOIN LATERAL ({before}) AS b
CROSS JOIN LATERAL ({after}) AS a
