-- Lets the server notice within a second that its client is gone. Without it the backend of a killed run
-- held the run lock for 15 s (spec 9).
-- Result: one row. Locks: none.
SELECT set_config('client_connection_check_interval', '1s', false) AS client_connection_check_interval
