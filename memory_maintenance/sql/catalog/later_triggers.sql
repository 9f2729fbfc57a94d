-- Others' BEFORE ROW triggers for INSERT or UPDATE, on a table or a partition of it, that fire after a trigger of
-- that name (names decide, byte by byte) and may set certain columns: what they execute, or an argument of
-- theirs, names one, or it puts another row in the place of NEW.
-- Parameters: oid; after: a name; columns: a regular expression that finds one. Result: trigger, table_schema,
-- table_name, function text; names_column bool. Locks: ACCESS SHARE on the partitions.
SELECT
    g.tgname::text AS trigger,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    p.oid::regprocedure::text AS function,
    u.names_column
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
CROSS JOIN LATERAL (
    SELECT
        (l.lanname NOT IN ('c', 'internal') AND p.prosrc ~* %(columns)s::text)
        OR encode(g.tgargs, 'escape') ~* %(columns)s::text AS names_column
) AS u
WHERE NOT g.tgisinternal
    AND g.tgparentid = 0
    AND g.tgenabled IN ('O', 'A')
    AND g.tgtype & 3 = 3
    AND g.tgtype & 20 <> 0
    AND g.tgname::text COLLATE "C" > %(after)s::text COLLATE "C"
    AND p.pronamespace <> coalesce(to_regnamespace('memory_maintenance')::oid, 0::oid)
    AND (
        u.names_column
        OR (l.lanname = 'plpgsql' AND p.prosrc ~* (
            '\mnew\s*:=|(;|\mbegin|\mthen|\melse|\mloop)\s*new\s*=|\minto\s+(strict\s+)?new\M(?!\s*[.])'
        ))
    )
ORDER BY g.tgname, n.nspname, c.relname
