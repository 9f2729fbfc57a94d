-- What was computed for a fact before it was locked, carried along with the version locked. A fragment of the
-- select list of facts/reading. Needs the relation examined as e.
,
    e.version AS examined_version,
    e.policy_no,
    e.base,
    e.anchor_at,
    e.new_confidence,
    e.new_effective_importance,
    e.confidence_changed,
    e.importance_changed
