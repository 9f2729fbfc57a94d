-- Unique indexes and exclusion constraints, of a table or a partition of it, that a column decides about: as a
-- key, in an expression, or in the condition of a partial index. Those that belong to one above are told once.
-- Parameters: oid; column. Result: name, table_schema, table_name text; excludes bool: an exclusion constraint.
-- Locks: ACCESS SHARE on the partitions.
SELECT
    i.relname::text AS name,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    x.indisexclusion AS excludes
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_index AS x ON x.indrelid = t.relid
JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.relid AND a.attname::text = %(column)s
WHERE (x.indisunique OR x.indisexclusion)
    AND x.indisready
    AND NOT i.relispartition
    AND (
        a.attnum = ANY ((x.indkey::int2[])[0:x.indnkeyatts - 1])
        OR (
            -- What is only INCLUDEd makes the index depend on the column as well, and decides nothing.
            NOT a.attnum = ANY (x.indkey::int2[])
            AND EXISTS (
                SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass
                    AND d.objid = x.indexrelid
                    AND d.refclassid = 'pg_catalog.pg_class'::regclass
                    AND d.refobjid = t.relid
                    AND d.refobjsubid = a.attnum
            )
        )
    )
ORDER BY i.relname, n.nspname, c.relname
