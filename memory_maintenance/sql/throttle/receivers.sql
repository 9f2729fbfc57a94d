-- Who receives this server's WAL, standbys and subscribers alike, and how far behind each is.
-- Result: pid int, name text: what the receiver calls itself, visible bool: false where this role may not see
-- more than the pid; behind bool: some WAL isn't yet there, lag_s float8: seconds from when WAL was flushed here
-- until it was there, NULL where nothing was measured lately; answered_at timestamptz: its last answer, by its
-- own clock. Locks: none.
-- "There" is replayed; for who replays nothing (pg_receivewal, pg_recvlogical) it is written: the server then
-- measures a replay lag all the same, which grows without end, and a flush lag that may wait for a file to be
-- full. A receiver that has caught up keeps the last lag measured for up to two of its status intervals: it
-- lags no more, whatever that says.
-- A base backup copies files and follows nothing.
SELECT
    r.pid,
    r.application_name AS name,
    r.state IS NOT NULL AS visible,
    coalesce(there.lsn < w.lsn, false) AS behind,
    CASE
        WHEN there.lsn >= w.lsn THEN 0
        WHEN r.replay_lsn IS NULL THEN date_part('epoch', r.write_lag)
        ELSE date_part('epoch', greatest(r.write_lag, r.flush_lag, r.replay_lag))
    END AS lag_s,
    r.reply_time AS answered_at
FROM pg_catalog.pg_stat_replication AS r
CROSS JOIN (SELECT pg_current_wal_flush_lsn() AS lsn) AS w
CROSS JOIN LATERAL (SELECT coalesce(r.replay_lsn, r.write_lsn) AS lsn) AS there
WHERE r.state IS DISTINCT FROM 'backup'
