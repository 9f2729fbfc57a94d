-- Lets one writer at a time look for a fact, or an entity, and create it, to the end of its transaction.
-- Parameters: lock: a number for what is looked for. Result: one row. Locks: that one.
SELECT pg_catalog.pg_advisory_xact_lock(%(lock)s::int8)
