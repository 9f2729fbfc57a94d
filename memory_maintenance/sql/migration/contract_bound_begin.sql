-- The time under a script's locks begins: no statement of the transaction takes longer than it may last.
-- Parameters: longest_ms. Result: one row. Locks: none.
SELECT
    set_config('memory_maintenance.locking_since', clock_timestamp()::text, true), -- DEFAULT as_of: the server's, now
    set_config('statement_timeout', (%(longest_ms)s::int8)::text, true)
