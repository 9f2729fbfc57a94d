-- How long a statement waits for a lock and takes, until the end of the transaction.
-- Parameters: lock_timeout_ms, statement_timeout_ms: text, '0' for no bound. Result: one row. Locks: none.
SELECT
    set_config('lock_timeout', %(lock_timeout_ms)s, true),
    set_config('statement_timeout', %(statement_timeout_ms)s, true)
