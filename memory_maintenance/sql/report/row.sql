-- A row r of facts/reading as a relation of its own, for its projection within LATERAL. A fragment. Locks: none.
(
    SELECT
        r.key, r.version, r.durability, r.category, r.confidence, r.confidence_base, r.confidence_anchor_at,
        r.confidence_written, r.decay_rate, r.last_confirmed_at, r.learned_at, r.last_accessed_at, r.expires, r.settled,
        r.importance, r.effective_importance, r.pinned
)
