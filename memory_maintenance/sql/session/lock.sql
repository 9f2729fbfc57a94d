-- Takes the run lock of a table, without waiting (spec 9).
-- Parameters: name: the table's qualified, quoted name (it need not exist yet).
-- Result: taken bool. Locks: one session advisory lock, held until unlocked or disconnected.
SELECT pg_try_advisory_lock(hashtextextended('memory-maintenance run ' || %(name)s, 0)) AS taken
