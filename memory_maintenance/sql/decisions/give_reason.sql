-- The reason for which a decision is reopened (spec 6), to the end of the transaction.
-- Parameters: reason. Result: one row. Locks: none.
SELECT pg_catalog.set_config('memory_maintenance.reopen_reason'::text, %(reason)s::text, true)
