-- CHECKs in force, of a table or a partition of it, that name a column or the whole row. Those that partitions
-- inherit are told once. One may be NOT ENFORCED since PostgreSQL 18.
-- Parameters: oid; column. Result: name, table_schema, table_name, condition text; alone bool: it names no other
-- column. Locks: ACCESS SHARE on the partitions.
SELECT
    k.conname::text AS name,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    pg_get_expr(k.conbin, k.conrelid) AS condition,
    k.conkey = ARRAY[a.attnum] AS alone
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_constraint AS k ON k.conrelid = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.relid AND a.attname = %(column)s
WHERE k.contype = 'c'
    AND k.coninhcount = 0
    AND k.conenforced
    AND k.conkey && ARRAY[a.attnum, 0::int2]
ORDER BY k.conname, n.nspname, c.relname
