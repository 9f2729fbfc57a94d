-- When a fact expires, an obligation that is settled no later than it was settled (spec 5). A fragment.
-- Slots: expires: the column, a timestamptz; settled: facts/settled; settled_at: facts/settled_at.
-- Result: timestamptz. least() passes over NULLs: a settled obligation without a deadline has one.
CASE WHEN {settled} THEN least({expires}, {settled_at}) ELSE {expires} END
