-- Stored columns whose type has in it, at whatever depth, the row type of a table or a partition of it: as it is,
-- in an array, domain, range or composite type. While there is one PostgreSQL adds no column with a default.
-- Of a partitioned table it looks at the partitions' row types only.
-- Parameters: oid. Result: table_schema, table_name, column_name text; materialized bool: of a materialized view.
-- Locks: ACCESS SHARE on the partitions.
WITH RECURSIVE kin (type) AS (
    SELECT c.reltype
    FROM (
        SELECT %(oid)s::oid AS relid
        UNION
        SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
    ) AS t
    JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
    WHERE c.relkind = 'r'
    UNION
    SELECT x.type
    FROM kin AS k
    JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid = k.type
    CROSS JOIN LATERAL (
        SELECT d.objid AS type WHERE d.classid = 'pg_catalog.pg_type'::regclass
        UNION ALL
        -- A view or a composite type stores nothing itself, but has a row type of its own.
        SELECT c.reltype
        FROM pg_catalog.pg_class AS c
        WHERE d.classid = 'pg_catalog.pg_class'::regclass
            AND c.oid = d.objid
            AND d.objsubid > 0
            AND c.relkind NOT IN ('r', 'm', 'p')
            AND c.reltype <> 0
    ) AS x
)
SELECT DISTINCT
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    a.attname::text AS column_name,
    c.relkind = 'm' AS materialized
FROM kin AS k
JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid = k.type
JOIN pg_catalog.pg_class AS c ON c.oid = d.objid AND d.classid = 'pg_catalog.pg_class'::regclass
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = d.objsubid
WHERE d.objsubid > 0 AND c.relkind IN ('r', 'm', 'p')
ORDER BY table_schema, table_name, column_name
