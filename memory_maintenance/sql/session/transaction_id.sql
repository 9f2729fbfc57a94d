-- The number of the open transaction, by which its end can be asked for later; asked last before COMMIT.
-- Result: xid text, NULL where it has written nothing. Locks: none.
SELECT pg_catalog.pg_current_xact_id_if_assigned()::text AS xid
