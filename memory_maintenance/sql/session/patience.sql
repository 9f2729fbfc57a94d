-- Sets how long statements wait for locks and take, until set anew.
-- Parameters: lock_timeout_ms, statement_timeout_ms: text. Result: one row. Locks: none.
SELECT
    set_config('lock_timeout', %(lock_timeout_ms)s, false),
    set_config('statement_timeout', %(statement_timeout_ms)s, false)
