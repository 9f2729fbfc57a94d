-- The facts that differ most under two policies: by confidence, then by effective importance.
-- Parameters: those of report/comparison_rows; most: how many. Slots: rows: that. Result: its columns but low_before and low_after.
-- Locks: none.
SELECT
    c.key,
    c.policy_before,
    c.policy_after,
    c.value_before,
    c.value_after,
    c.importance_before,
    c.importance_after
FROM ({rows}) AS c
WHERE c.value_before <> c.value_after OR c.importance_before <> c.importance_after
ORDER BY
    pg_catalog.abs(c.value_after - c.value_before) DESC,
    pg_catalog.abs(c.importance_after - c.importance_before) DESC,
    c.key
LIMIT %(most)s::int8
