-- How a transaction of an earlier connection ended. Parameters: xid: its number, as text.
-- Result: status text: 'committed', 'aborted' or 'in progress'; NULL where the server no longer knows. An error
-- where that number was never given out: the server crashed and lost it. Locks: none.
SELECT pg_catalog.pg_xact_status(%(xid)s::text::xid8) AS status
