-- Others' BEFORE UPDATE row triggers that fire when we write: any of them may move updated_at (spec 2).
-- Parameters: oid. Result: trigger text, function text, stamps bool (its source or an argument of it names
-- updated_at). Locks: none.
SELECT
    t.tgname::text AS trigger,
    p.oid::regprocedure::text AS function,
    coalesce(p.prosrc ILIKE '%%updated_at%%', false)
    OR encode(t.tgargs, 'escape') ILIKE '%%updated_at%%' AS stamps
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
    -- BEFORE UPDATE OF other columns doesn't fire for ours.
    AND (
        cardinality(t.tgattr::int2[]) = 0
        OR EXISTS (
            SELECT FROM pg_catalog.pg_attribute AS a
            WHERE a.attrelid = t.tgrelid
                AND a.attnum = ANY (t.tgattr::int2[])
                AND a.attname IN (
                    'confidence', 'confidence_base', 'confidence_anchor_at', 'confidence_written',
                    'effective_importance', 'durability', 'category'
                )
        )
    )
ORDER BY t.tgname
