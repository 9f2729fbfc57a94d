-- The views whose query names the column, and all views above them, topmost first: the order in which readers
-- lock them. Materialized views between them are passed through, but can't be locked and are left out.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: oid bigint; schema, relname text. Locks: none.
WITH RECURSIVE {columns},
reach (view, depth) AS (
    SELECT r.ev_class, 0
    FROM dep
    JOIN pg_catalog.pg_rewrite AS r
        ON dep.classid = 'pg_catalog.pg_rewrite'::regclass
        AND r.oid = dep.objid
        AND r.rulename = '_RETURN'
    UNION
    SELECT r.ev_class, reach.depth + 1
    FROM reach
    JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_class'::regclass
        AND d.refobjid = reach.view
        AND d.classid = 'pg_catalog.pg_rewrite'::regclass
    JOIN pg_catalog.pg_rewrite AS r
        ON r.oid = d.objid AND r.rulename = '_RETURN' AND r.ev_class <> reach.view
)
SELECT c.oid::bigint AS oid, n.nspname::text AS schema, c.relname::text AS relname
FROM reach
JOIN pg_catalog.pg_class AS c ON c.oid = reach.view
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'v'
GROUP BY c.oid, n.nspname, c.relname
ORDER BY max(reach.depth) DESC, n.nspname, c.relname
