-- Others' triggers of the table whose condition may compare whole rows: OLD.* IS DISTINCT FROM NEW.*
-- Parameters: oid, column. Slots: columns (audit/columns). Result: name, definition text; oid bigint. Locks: none.
WITH RECURSIVE {columns}
SELECT
    format('%%I on %%s', t.tgname, t.tgrelid::regclass) AS name,
    pg_get_triggerdef(t.oid) AS definition,
    t.oid::bigint AS oid
FROM tree
JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = tree.relid
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE t.tgqual IS NOT NULL
    AND NOT t.tgisinternal
    AND t.tgparentid = 0
    AND n.nspname <> 'memory_maintenance'
    AND NOT EXISTS (
        SELECT FROM dep
        WHERE dep.classid = 'pg_catalog.pg_trigger'::regclass AND dep.objid = t.oid
    )
ORDER BY 1
