-- The indexes of a table, those of its partitions summed under that of the table where they belong to one.
-- Parameters: oid: the table; written: names of the columns that decay writes. Result: schema, name; method; bytes; scans: since statistics were
-- reset; required: it is unique, or a constraint or the replica identity rests on it; valid: all parts are; partitioned; written: the columns of
-- those names that it holds, be it in an expression or its condition. The largest first. Locks: ACCESS SHARE on the indexes, for their sizes.
WITH RECURSIVE part AS (
    SELECT %(oid)s::oid AS oid
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits AS i JOIN part AS p ON p.oid = i.inhparent
),
member AS (
    SELECT x.indexrelid AS root, x.indexrelid AS oid
    FROM pg_index AS x
    JOIN part AS p ON p.oid = x.indrelid
    WHERE NOT EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = x.indexrelid)
    UNION ALL
    SELECT m.root, i.inhrelid FROM pg_inherits AS i JOIN member AS m ON m.oid = i.inhparent
)
SELECT
    n.nspname::text AS schema,
    r.relname::text AS name,
    a.amname::text AS method,
    coalesce(sum(pg_relation_size(m.oid)), 0)::int8 AS bytes,
    coalesce(sum(s.idx_scan), 0)::int8 AS scans,
    bool_or(
        x.indisunique OR x.indisreplident OR x.indisclustered
        OR EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = m.oid)
    ) AS required,
    bool_and(x.indisvalid) AS valid,
    r.relkind = 'I' AS partitioned,
    ARRAY(
        SELECT DISTINCT t.attname::text COLLATE "C" AS name
        FROM pg_depend AS d
        JOIN pg_attribute AS t ON t.attrelid = d.refobjid AND t.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass
            AND d.objid = m.root
            AND d.refclassid = 'pg_class'::regclass
            AND t.attname::text = ANY (%(written)s::text[])
        ORDER BY name
    ) AS written
FROM member AS m
JOIN pg_class AS r ON r.oid = m.root
JOIN pg_namespace AS n ON n.oid = r.relnamespace
JOIN pg_am AS a ON a.oid = r.relam
JOIN pg_index AS x ON x.indexrelid = m.oid
LEFT JOIN pg_stat_all_indexes AS s ON s.indexrelid = m.oid
GROUP BY n.nspname, r.relname, r.relkind, a.amname, m.root
ORDER BY bytes DESC, schema, name
