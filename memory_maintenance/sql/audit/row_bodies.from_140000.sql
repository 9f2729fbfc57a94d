-- Functions whose body was parsed when they were made, and that use the table, but don't name the column.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition text; oid bigint; query text:
-- the statements of the body. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind,
    format('%%I.%%I(%%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)) AS name,
    pg_get_functiondef(p.oid) AS definition,
    p.oid::bigint AS oid,
    regexp_replace(
        regexp_replace(pg_get_function_sqlbody(p.oid), '^\s*RETURN\M', 'SELECT'),
        '^\s*BEGIN ATOMIC\M(.*)\mEND\s*$', '\1'
    ) AS query
FROM tree
JOIN pg_catalog.pg_depend AS d
    ON d.refclassid = 'pg_catalog.pg_class'::regclass
    AND d.refobjid = tree.relid
    AND d.refobjsubid = 0
    AND d.classid = 'pg_catalog.pg_proc'::regclass
JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE p.prosqlbody IS NOT NULL
    AND n.nspname <> 'memory_maintenance'
    AND NOT EXISTS (
        SELECT FROM dep WHERE dep.classid = 'pg_catalog.pg_proc'::regclass AND dep.objid = p.oid
    )
ORDER BY 2
