-- Gives the run lock back. Parameters: name, as in lock.sql. Result: released bool.
SELECT pg_advisory_unlock(hashtextextended('memory-maintenance run ' || %(name)s, 0)) AS released
