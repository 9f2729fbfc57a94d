-- Others' BEFORE ROW triggers for INSERT or UPDATE, on a table or a partition of it, that may set a guarded column:
-- what they execute assigns to one, or (in another language than PL/pgSQL) names one, or an argument of theirs does,
-- or it puts another row in the place of NEW.
-- Parameters: oid; columns: a regular expression that finds a guarded column's name; after: the name of our last guard.
-- Result: trigger, table_schema, table_name, function text; later bool: it fires after our guards; updates bool.
-- Locks: ACCESS SHARE on the partitions.
SELECT
    g.tgname::text AS trigger,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    p.oid::regprocedure::text AS function,
    g.tgname::text COLLATE "C" > %(after)s::text COLLATE "C" AS later,
    g.tgtype & 16 = 16 AS updates
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT t.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS t
) AS t
JOIN pg_catalog.pg_trigger AS g ON g.tgrelid = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_proc AS p ON p.oid = g.tgfoid
JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE NOT g.tgisinternal
    AND g.tgparentid = 0
    AND g.tgenabled IN ('O', 'A')
    AND g.tgtype & 3 = 3
    AND g.tgtype & 20 <> 0
    AND p.pronamespace <> coalesce(to_regnamespace('memory_maintenance')::oid, 0::oid)
    AND (
        encode(g.tgargs, 'escape') ~ ('\m' || %(columns)s::text || '\M')
        OR (l.lanname NOT IN ('c', 'internal', 'plpgsql') AND p.prosrc ~ ('\m' || %(columns)s::text || '\M'))
        OR (l.lanname = 'plpgsql' AND (
            p.prosrc ~* ('\mnew\s*\.\s*"?' || %(columns)s::text || '"?\s*(\[[^]]*\]\s*)?:=')
            OR p.prosrc ~* (
                '(;|\mbegin|\mthen|\melse|\mloop)\s*new\s*\.\s*"?' || %(columns)s::text || '"?\s*(\[[^]]*\]\s*)?='
            )
            OR p.prosrc ~* ('\minto\s[^;]*\mnew\s*\.\s*"?' || %(columns)s::text || '\M')
            OR p.prosrc ~* '\mnew\s*:=|(;|\mbegin|\mthen|\melse|\mloop)\s*new\s*=|\minto\s+(strict\s+)?new\M(?!\s*[.])'
            OR p.prosrc ~* '\mreturn\s+(?!new\M|old\M|null\M|coalesce\s*[(]\s*new\s*,\s*old\M)\w'
        ))
    )
ORDER BY g.tgname, n.nspname, c.relname
