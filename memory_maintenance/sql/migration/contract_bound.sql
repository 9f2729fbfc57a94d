-- Ends a script whose locks were held for as long as they may be, and bounds the statements that follow by what is
-- left. Parameters: longest_ms; refusal: what to fail with. Result: one row. Locks: none.
SELECT CASE
    WHEN l.left_ms <= 0 THEN memory_maintenance.refuse(%(refusal)s)::text
    ELSE set_config('statement_timeout', l.left_ms::text, true)
END
FROM (
    SELECT
        %(longest_ms)s::int8 - round(
            1000 * date_part('epoch', c.clock - current_setting('memory_maintenance.locking_since')::timestamptz)
        )::int8 AS left_ms
    FROM (SELECT clock_timestamp() AS clock) AS c -- DEFAULT as_of: the server's, now
) AS l
