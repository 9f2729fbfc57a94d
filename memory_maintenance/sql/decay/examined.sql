-- Of the projection of a key range, what a batch goes on with: fewer columns to keep. A fragment for the slot of
-- the relation examined. Slots: projected: the projection.
SELECT
    p.key,
    p.version,
    p.policy_no,
    coalesce(p.problem, p.notice) AS trouble,
    p.base,
    p.anchor_at,
    p.new_confidence,
    p.new_effective_importance,
    p.confidence_changed,
    p.importance_changed,
    p.due
FROM (
    {projected}
) AS p
