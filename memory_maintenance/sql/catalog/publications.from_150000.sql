-- Publications that publish a table or a partition of it.
-- Parameters: oid. Result: publication text; listed bool: only the columns of a list. Locks: ACCESS SHARE on the
-- partitions.
SELECT DISTINCT
    v.pubname::text AS publication,
    EXISTS (
        SELECT FROM pg_catalog.pg_publication_rel AS r
        JOIN pg_catalog.pg_publication AS b ON b.oid = r.prpubid
        WHERE b.pubname = v.pubname AND r.prrelid = t.relid AND r.prattrs IS NOT NULL
    ) AS listed
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_publication_tables AS v ON v.schemaname = n.nspname AND v.tablename = c.relname
ORDER BY publication
