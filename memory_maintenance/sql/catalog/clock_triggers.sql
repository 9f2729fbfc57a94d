-- Others' BEFORE UPDATE row triggers on a table: any of them may move updated_at when we write (spec 2).
-- Parameters: oid. Result: trigger text, function text, stamps bool (its source names updated_at). Locks: none.
SELECT
    t.tgname::text AS trigger,
    p.oid::regprocedure::text AS function,
    coalesce(p.prosrc ILIKE '%%updated_at%%', false) AS stamps
FROM pg_catalog.pg_trigger AS t
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE t.tgrelid = %(oid)s::oid
    AND NOT t.tgisinternal
    AND t.tgenabled IN ('O', 'A')
    AND t.tgtype & 1 = 1
    AND t.tgtype & 2 = 2
    AND t.tgtype & 16 = 16
    AND n.nspname <> 'memory_maintenance'
ORDER BY t.tgname
