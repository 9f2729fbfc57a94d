-- A row f with its base and anchor as a run at the report's instant takes them: what an outside writer set counts as seen. In the
-- shape of facts/reading, for its projection within LATERAL. A fragment. Locks: none.
(
    SELECT
        f.key, f.version, f.durability, f.category, f.confidence, f.base AS confidence_base,
        f.anchor_at AS confidence_anchor_at, f.confidence AS confidence_written, f.decay_rate, f.last_confirmed_at,
        f.learned_at, f.last_accessed_at, f.expires, f.settled, f.importance, f.effective_importance, f.pinned
)
