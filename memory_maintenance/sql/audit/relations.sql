-- Every relation and composite type by name, to tell whose column a name in a function's text is.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: oid bigint; schema, name text; ours bool: the table
-- or a partition of it; has_column bool: one of that name. Locks: none.
WITH RECURSIVE {columns}
SELECT
    c.oid::bigint AS oid,
    n.nspname::text AS schema,
    c.relname::text AS name,
    EXISTS (SELECT FROM tree WHERE tree.relid = c.oid) AS ours,
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attname = %(column)s AND a.attnum > 0 AND NOT a.attisdropped
    ) AS has_column
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND n.nspname NOT LIKE 'pg\_toast%%'
ORDER BY n.nspname, c.relname
