-- Views by name, as contract names them, those that others of them are built on last: the order of locks.
-- Parameters: names text[]: as SQL reads them. Result: name, owner, definition, options text: owner
-- and definition NULL where there is no such view; options: as WITH takes them.
-- Locks: none.
WITH RECURSIVE named AS (
    SELECT u.name, pg_catalog.to_regclass(u.name)::oid AS oid
    FROM unnest(%(names)s::text[]) AS u (name)
),
below AS (
    SELECT n.oid, 0 AS depth FROM named AS n WHERE n.oid IS NOT NULL
    UNION
    SELECT d.refobjid, b.depth + 1
    FROM below AS b
    JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = b.oid
    JOIN pg_catalog.pg_depend AS d
        ON d.classid = 'pg_catalog.pg_rewrite'::regclass
        AND d.objid = r.oid
        AND d.refclassid = 'pg_catalog.pg_class'::regclass
        AND d.refobjid <> b.oid
    JOIN pg_catalog.pg_class AS c ON c.oid = d.refobjid AND c.relkind = 'v'
)
SELECT
    n.name,
    (
        SELECT pg_get_userbyid(c.relowner)::text FROM pg_catalog.pg_class AS c WHERE c.oid = n.oid
    ) AS owner,
    CASE WHEN n.oid IS NOT NULL THEN pg_catalog.pg_get_viewdef(n.oid) END AS definition,
    coalesce(
        (
            SELECT string_agg(format('%%I = %%L', o.option_name, o.option_value), ', ' ORDER BY o.option_name)
            FROM pg_catalog.pg_class AS c
            CROSS JOIN LATERAL pg_options_to_table(c.reloptions) AS o
            WHERE c.oid = n.oid
        ),
        ''
    ) AS options
FROM named AS n
ORDER BY (SELECT max(b.depth) FROM below AS b WHERE b.oid = n.oid), n.name
