-- Adopts the table, once: a row that is there already stays. The clock is the server's, not as_of (spec 3).
-- Parameters: table_name, adopt: now or history. Locks: none others want.
INSERT INTO memory_maintenance.adoption (table_name, adopted_at, adopt)
VALUES (
    %(table_name)s,
    CASE WHEN %(adopt)s = 'history' THEN '-infinity'::timestamptz ELSE clock_timestamp() END,
    %(adopt)s
)
ON CONFLICT (table_name) DO NOTHING
