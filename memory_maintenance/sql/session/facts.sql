-- What we must know of the server before we set anything: its version, the backend's pid as the backend
-- itself has it (a pooler invents another), and the zone that the database's own sessions have by default.
-- Result: server_version int, backend_pid int, database text, role text, default_zone text, zone_source text,
-- started_at_s float8: when the server itself was, seconds since 1970; read_only bool (a standby, or a database that is so by default). Locks: none.
-- No timestamps: the database's DateStyle is still in force.
SELECT
    current_setting('server_version_num')::int AS server_version,
    pg_backend_pid() AS backend_pid,
    current_database()::text AS database,
    current_user::text AS role,
    z.reset_val AS default_zone,
    z.source AS zone_source,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only,
    date_part('epoch', pg_postmaster_start_time()) AS started_at_s
FROM pg_catalog.pg_settings AS z
WHERE z.name = 'TimeZone'
