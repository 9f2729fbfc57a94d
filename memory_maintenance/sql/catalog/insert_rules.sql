-- Rules that replace INSERT into a table or a partition of it, whoever names that.
-- Parameters: oid. Result: rule, table_schema, table_name text. Locks: ACCESS SHARE on the partitions.
SELECT
    r.rulename::text AS rule,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE r.ev_type = '3' AND r.is_instead AND r.ev_enabled IN ('O', 'A')
ORDER BY r.rulename, n.nspname, c.relname
