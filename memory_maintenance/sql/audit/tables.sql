-- The relations of a name that an audit may be about.
-- Parameters: schema: '' for any but those of PostgreSQL itself; table; column. Result: oid bigint; schema, name,
-- label (qualified) text; kind text: as in pg_class; has_column bool. Locks: none.
SELECT
    c.oid::bigint AS oid,
    n.nspname::text AS schema,
    c.relname::text AS name,
    c.oid::regclass::text AS label,
    c.relkind::text AS kind,
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attname = %(column)s AND a.attnum > 0 AND NOT a.attisdropped
    ) AS has_column
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = %(table)s
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg\_t%%'
    AND %(schema)s::text IN ('', n.nspname)
ORDER BY n.nspname
