-- Tables whose name is that of the one not found, but for case or schema: what the operator may have meant.
-- Parameters: table. Result: schema text, name text. Locks: none.
SELECT n.nspname::text AS schema, c.relname::text AS name
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE lower(c.relname) = lower(%(table)s)
    AND c.relkind IN ('r', 'p')
    AND n.nspname NOT LIKE 'pg\_temp\_%%'
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'memory_maintenance')
ORDER BY n.nspname, c.relname
