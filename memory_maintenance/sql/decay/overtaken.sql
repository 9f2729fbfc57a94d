-- The facts that a writer changed between examining and locking, as they are now. A fragment for the slot rows.
-- Needs the relation locked.
(SELECT
        l.key, l.version, l.durability, l.category, l.confidence, l.confidence_base,
        l.confidence_anchor_at, l.confidence_written, l.decay_rate, l.last_confirmed_at, l.learned_at,
        l.last_accessed_at, l.expires, l.settled, l.importance, l.effective_importance, l.pinned
    FROM locked AS l
    WHERE l.version <> l.examined_version
    OFFSET 0)
