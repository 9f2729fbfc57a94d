-- The facts in one shape, whatever columns and types a deployment has. A fragment: users add WHERE, ORDER BY
-- and a locking clause.
-- Slots: facts: the table; key; decay_rate: double precision; last_confirmed_at, learned_at,
-- last_accessed_at, expires: timestamptz expressions, NULL where the column is absent; expires: facts/deadline,
-- settled: facts/settled; also: further columns, each after a comma, or nothing.
-- Result: one row a fact; expires: of a settled obligation when it was settled, where that is earlier; version tells whether a row read later is still the same one. Locks: those of the user's clause.
SELECT
    f.{key} AS key,
    f.ctid AS version,
    f.durability,
    f.category,
    f.confidence,
    f.confidence_base,
    f.confidence_anchor_at,
    f.confidence_written,
    {decay_rate} AS decay_rate,
    {last_confirmed_at} AS last_confirmed_at,
    {learned_at} AS learned_at,
    {last_accessed_at} AS last_accessed_at,
    {expires} AS expires,
    {settled} AS settled,
    f.importance,
    f.effective_importance,
    f.pinned{also}
FROM {facts} AS f
