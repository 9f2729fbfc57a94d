-- Others' triggers whose column list or condition names the column.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'trigger' AS kind,
    format('%%I on %%s', t.tgname, t.tgrelid::regclass) AS name,
    pg_get_triggerdef(t.oid) AS definition,
    CASE
        WHEN dep.attnum = ANY (t.tgattr::int2[]) THEN 'it fires on UPDATE OF '
        ELSE 'its condition reads '
    END || %(column)s::text AS why,
    t.oid::bigint AS oid,
    false AS owned
FROM dep
JOIN pg_catalog.pg_trigger AS t
    ON dep.classid = 'pg_catalog.pg_trigger'::regclass AND t.oid = dep.objid
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND n.nspname <> 'memory_maintenance'
ORDER BY 2
