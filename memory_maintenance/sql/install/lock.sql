-- Lets one installer in at a time, until the end of its transaction. Result: one row.
SELECT pg_advisory_xact_lock(hashtextextended('memory-maintenance install', 0))
