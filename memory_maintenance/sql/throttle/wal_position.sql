-- How much WAL the whole server has made so far. Result: wal_bytes bigint. Locks: none.
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS wal_bytes
