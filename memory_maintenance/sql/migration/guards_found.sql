-- The guards that a table and its partitions have. Parameters: oid; names text[]: of our guards.
-- Result: schema, table_name, name text; clone bool: of the table's, on a partition; fires bool: in an ordinary
-- session; function text: qualified; columns text[]: those of UPDATE OF, in order; digest text: the last argument.
-- Locks: ACCESS SHARE on the partitions.
SELECT
    n.nspname::text AS schema,
    c.relname::text AS table_name,
    t.tgname::text AS name,
    t.tgparentid <> 0 AS clone,
    t.tgenabled IN ('O', 'A') AS fires,
    format('%%s.%%s', pn.nspname, p.proname) AS function,
    ARRAY(
        SELECT a.attname::text
        FROM unnest(t.tgattr::int2[]) AS u (attnum)
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = u.attnum
        ORDER BY a.attname COLLATE "C"
    ) AS columns,
    (string_to_array(encode(t.tgargs, 'escape'), '\000'))[t.tgnargs] AS digest
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT r.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS r
) AS r
JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = r.relid
JOIN pg_catalog.pg_class AS c ON c.oid = r.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
JOIN pg_catalog.pg_namespace AS pn ON pn.oid = p.pronamespace
WHERE (NOT t.tgisinternal OR t.tgparentid <> 0::oid) AND t.tgname::text = ANY (%(names)s::text[])
ORDER BY t.tgname, n.nspname, c.relname
