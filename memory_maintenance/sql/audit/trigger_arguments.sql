-- Others' triggers of the table that hand the column's name to their function as an argument, as
-- tsvector_update_trigger takes it: PostgreSQL knows no more than a string, and the function fails without it.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: name, definition text; oid bigint. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    format('%%I on %%s', t.tgname, t.tgrelid::regclass) AS name,
    pg_get_triggerdef(t.oid) AS definition,
    t.oid::bigint AS oid
FROM col
JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = col.attrelid
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE NOT t.tgisinternal
    AND t.tgparentid = 0
    AND n.nspname <> 'memory_maintenance'
    -- Each argument ends with a zero byte.
    AND position(
        '\x00'::bytea || convert_to(col.attname::text, getdatabaseencoding()) || '\x00'::bytea
        IN '\x00'::bytea || t.tgargs
    ) > 0
ORDER BY 1
