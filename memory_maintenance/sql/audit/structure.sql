-- What in the table's own making forbids to drop the column, or keeps a copy of it elsewhere: a partition key,
-- a parent that has the column, a type that the table is made of, a partition that is a foreign table.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT
    'partition key' AS kind,
    col.attrelid::regclass::text AS name,
    'PARTITION BY ' || pg_get_partkeydef(col.attrelid) AS definition,
    'the table is partitioned by ' || col.attname AS why,
    col.attrelid::bigint AS oid,
    false AS owned
FROM col
JOIN pg_catalog.pg_partitioned_table AS t ON t.partrelid = col.attrelid
WHERE col.attnum = ANY (t.partattrs::int2[])
    -- A column in an expression of the key is recorded as depending on its table.
    OR EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass
            AND d.objid = col.attrelid
            AND d.objsubid = col.attnum
            AND d.refclassid = 'pg_catalog.pg_class'::regclass
            AND d.refobjid = col.attrelid
            AND d.refobjsubid = 0
    )
UNION ALL
SELECT
    'parent table',
    i.inhparent::regclass::text,
    format('INHERITS (%%s)', i.inhparent::regclass),
    format('the table has %%I from it, and can''t drop it alone', col.attname),
    i.inhparent::bigint,
    false
FROM col
JOIN pg_catalog.pg_inherits AS i ON i.inhrelid = col.attrelid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.inhparent AND a.attname = col.attname
WHERE col.attrelid = %(oid)s::oid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT
    'composite type',
    format_type(c.reloftype, NULL),
    'OF ' || format_type(c.reloftype, NULL),
    'the table is made of it, and can''t drop one of its columns',
    c.reloftype::bigint,
    false
FROM col
JOIN pg_catalog.pg_class AS c ON c.oid = col.attrelid
WHERE c.reloftype <> 0
UNION ALL
SELECT
    'foreign table',
    c.oid::regclass::text,
    format('%%s on server %%I', coalesce(pg_get_expr(c.relpartbound, c.oid), 'child'), s.srvname),
    format('a part of the table whose %%I is on another server and would stay there', col.attname),
    c.oid::bigint,
    false
FROM col
JOIN pg_catalog.pg_class AS c ON c.oid = col.attrelid
JOIN pg_catalog.pg_foreign_table AS f ON f.ftrelid = c.oid
JOIN pg_catalog.pg_foreign_server AS s ON s.oid = f.ftserver
ORDER BY 1, 2
