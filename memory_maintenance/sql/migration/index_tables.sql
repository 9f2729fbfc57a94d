-- A table and, where it is partitioned, everything below it, each after its parent.
-- Parameters: oid. Result: oid bigint; parent bigint: NULL for the table itself; schema, name text; kind text: as
-- in pg_class.relkind. Locks: ACCESS SHARE on the partitions.
SELECT
    c.oid::bigint AS oid,
    t.parent::bigint AS parent,
    n.nspname::text AS schema,
    c.relname::text AS name,
    c.relkind::text AS kind
FROM (
    SELECT %(oid)s::oid AS relid, NULL::oid AS parent, 0 AS level
    UNION ALL
    SELECT p.relid::oid, p.parentrelid::oid, p.level
    FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
    WHERE p.level > 0
) AS t
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
ORDER BY t.level, n.nspname, c.relname
