-- Partitioned tables, this one or below it, whose key uses one of certain columns, in an expression or as it is.
-- Parameters: oid; columns text[]. Result: schema, name text: of the table; column_name text; key text: its
-- definition. Locks: ACCESS SHARE on the partitions.
SELECT
    n.nspname::text AS schema,
    c.relname::text AS name,
    a.attname::text AS column_name,
    pg_get_partkeydef(c.oid) AS key
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_partitioned_table AS k ON k.partrelid = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.relid AND a.attname::text = ANY (%(columns)s::text[])
WHERE a.attnum = ANY (k.partattrs::int2[])
    OR EXISTS (
        -- A column in an expression of the key depends on its table: dropping it would drop that.
        SELECT FROM pg_catalog.pg_depend AS d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass
            AND d.objid = t.relid
            AND d.objsubid = a.attnum
            AND d.refclassid = 'pg_catalog.pg_class'::regclass
            AND d.refobjid = t.relid
            AND d.refobjsubid = 0
    )
ORDER BY n.nspname, c.relname, a.attname
