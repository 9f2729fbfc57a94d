-- Others' triggers that our UPDATE of facts sets off, on the table or a partition of it.
-- Parameters: oid. Result: trigger text; function text; changes_rows bool: a BEFORE trigger for each row, which
-- may change what we write. Locks: none.
SELECT DISTINCT
    t.tgname::text AS trigger,
    p.oid::regprocedure::text AS function,
    t.tgtype & 3 = 3 AS changes_rows
FROM pg_catalog.pg_trigger AS t
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE (
        t.tgrelid = %(oid)s::oid
        OR t.tgrelid IN (SELECT c.relid FROM pg_partition_tree(%(oid)s::oid::regclass) AS c)
    )
    AND NOT t.tgisinternal
    AND t.tgenabled IN ('O', 'A')
    AND t.tgtype & 16 = 16
    AND n.nspname <> 'memory_maintenance'
ORDER BY 1, 2
