-- PostgreSQL 13 has no client_connection_check_interval: a killed client's backend ends when it next writes.
-- Result: one row. Locks: none.
SELECT 'none' AS client_connection_check_interval
