-- The server's clock, read once a run: from here on nobody asks what time it is.
-- Result: clock timestamptz. Locks: none.
SELECT clock_timestamp() AS clock
