-- Ends a script where somebody wrote the old way a short time ago. Parameters: table_name; quiet_s: how long there
-- must be no such write; refusal: what to fail with. Result: one row. Locks: none.
SELECT CASE
    WHEN EXISTS (
        SELECT FROM memory_maintenance.old_style_write AS w
        WHERE w.table_name = %(table_name)s
            AND w.at > clock_timestamp() - make_interval(secs => %(quiet_s)s) -- DEFAULT as_of: the server's, now
    ) THEN memory_maintenance.refuse(%(refusal)s)
END
