-- Foreign keys in force on a column alone, of a table or a partition of it. One may be NOT ENFORCED since PostgreSQL 18.
-- Parameters: oid; column. Result: name, table_schema, table_name, referenced_schema, referenced_table,
-- referenced_column text; readable bool: by this role. Locks: ACCESS SHARE on the partitions.
SELECT
    k.conname::text AS name,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    rn.nspname::text AS referenced_schema,
    r.relname::text AS referenced_table,
    ra.attname::text AS referenced_column,
    has_schema_privilege(rn.oid, 'USAGE') AND has_column_privilege(r.oid, ra.attnum, 'SELECT') AS readable
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_constraint AS k ON k.conrelid = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.relid AND a.attname = %(column)s
JOIN pg_catalog.pg_class AS r ON r.oid = k.confrelid
JOIN pg_catalog.pg_namespace AS rn ON rn.oid = r.relnamespace
JOIN pg_catalog.pg_attribute AS ra ON ra.attrelid = r.oid AND ra.attnum = k.confkey[1]
WHERE k.contype = 'f'
    AND k.conparentid = 0
    AND k.conenforced
    AND k.conkey = ARRAY[a.attnum]
ORDER BY k.conname, n.nspname, c.relname
