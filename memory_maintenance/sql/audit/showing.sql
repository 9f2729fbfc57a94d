-- The views and materialized views whose query names the column, with that query as PostgreSQL keeps it.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: oid bigint; name text; query text: a pg_node_tree;
-- relations bigint[], numbers int[]: the column, in the table and in its partitions. Locks: none.
WITH RECURSIVE {columns}
SELECT
    c.oid::bigint AS oid,
    c.oid::regclass::text AS name,
    r.ev_action::text AS query,
    ARRAY(SELECT col.attrelid::bigint FROM col ORDER BY col.attrelid) AS relations,
    ARRAY(SELECT col.attnum::int FROM col ORDER BY col.attrelid) AS numbers
FROM pg_catalog.pg_rewrite AS r
JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class
WHERE r.rulename = '_RETURN'
    AND r.oid IN (
        SELECT dep.objid FROM dep WHERE dep.classid = 'pg_catalog.pg_rewrite'::regclass
    )
ORDER BY 2
