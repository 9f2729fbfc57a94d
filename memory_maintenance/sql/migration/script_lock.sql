-- The body of a script's first block: takes the lock of runs on the table, or ends the script.
-- Parameters: name: of the table, as the ledger has it. Locks: the run lock, until the end of the connection.
BEGIN
    IF NOT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('memory-maintenance run ' || %(name)s, 0)) THEN
        RAISE EXCEPTION 'another run is at work on %%', %(name)s USING HINT = 'try again when it has ended';
    END IF;
END
