-- Whether pg_catalog has a text search configuration of that name. Parameters: name. Result: one row: known. Locks: none.
SELECT EXISTS (
    SELECT
    FROM pg_ts_config AS c
    WHERE c.cfgname = %(name)s AND c.cfgnamespace = 'pg_catalog'::regnamespace
) AS known
