-- A fact with its base and anchor as a run at the instant of the explanation takes them: what an outside writer set counts
-- as seen. In the shape of facts/reading. A fragment.
-- Parameters: base, anchor_at: from explain/fact; fact. Slots: reading: facts/reading of one fact. Locks: none.
SELECT
    f.key, f.version, f.durability, f.category, f.confidence,
    %(base)s::float8 AS confidence_base,
    %(anchor_at)s::timestamptz AS confidence_anchor_at,
    f.confidence AS confidence_written,
    f.decay_rate, f.last_confirmed_at, f.learned_at, f.last_accessed_at, f.expires, f.settled, f.importance,
    f.effective_importance, f.pinned
FROM ({reading}) AS f
