-- Whether pg_cron's list of jobs is here and may be read by this role: the plain table that its extension makes,
-- with columns of types that run nobody's code. Where row security picks the rows, its owner must be a superuser, as
-- pg_cron's is, or a policy of anybody would run with our rights.
-- Parameters: none. Result: named, active bool: whether it has such columns; no row where it can't be read.
-- Locks: none.
SELECT
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attname = 'jobname' AND a.atttypid IN ('text'::regtype, 'name'::regtype)
    ) AS named,
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attname = 'active' AND a.atttypid = 'bool'::regtype
    ) AS active
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_roles AS o ON o.oid = c.relowner
WHERE n.nspname = 'cron'
    AND c.relname = 'job'
    AND c.relkind = 'r'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND has_table_privilege(c.oid, 'SELECT')
    AND (o.rolsuper OR NOT row_security_active(c.oid))
    AND 4 = (
        SELECT count(*)
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid
            AND (
                (a.attname = 'jobid' AND a.atttypid = 'int8'::regtype)
                OR (a.attname IN ('schedule', 'command', 'database') AND a.atttypid = 'text'::regtype)
            )
    )
