-- The facts without a data problem under two policies. A fragment, for report/comparison_moved and report/comparison_ids.
-- Parameters, slots: as report/comparison. Result: key; value_before, value_after, importance_before, importance_after, policy_before,
-- policy_after; low_before, low_after: whether below the threshold of either. Locks: none.
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
WHERE b.problem IS NULL AND a.problem IS NULL
OFFSET 0
