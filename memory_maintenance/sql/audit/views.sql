-- The views whose query names the column, with what it takes to replace each of them.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: oid bigint; schema, relname, name (qualified),
-- definition, owner text; options text: as WITH takes them, '' for none; replaceable bool: this role has the owner's
-- rights; may_create bool: in its schema; temporary bool; invoker bool: it reads as whoever asks; owner_reads bool:
-- its owner may read what the computed value needs; depth int: views of this list and above it that it stands on, at
-- most; outputs, types, collations text[]: its columns, '' for the default collation or none; plain bool[]: of
-- a character type that is no domain; lengths int[]: -1 where unlimited. Locks: ACCESS SHARE on each view.
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
SELECT
    c.oid::bigint AS oid,
    n.nspname::text AS schema,
    c.relname::text AS relname,
    c.oid::regclass::text AS name,
    -- NULL where somebody has dropped it since our snapshot.
    coalesce(pg_get_viewdef(c.oid), '') AS definition,
    pg_get_userbyid(c.relowner)::text AS owner,
    coalesce(
        (
            SELECT string_agg(format('%%I = %%L', o.option_name, o.option_value), ', ' ORDER BY o.option_name)
            FROM pg_options_to_table(c.reloptions) AS o
        ),
        ''
    ) AS options,
    pg_has_role(c.relowner, 'USAGE') AS replaceable,
    has_schema_privilege(n.oid, 'CREATE') AS may_create,
    c.relpersistence = 't' AS temporary,
    EXISTS (
        SELECT FROM pg_options_to_table(c.reloptions) AS o
        WHERE o.option_name = 'security_invoker' AND o.option_value::boolean
    ) AS invoker,
    has_table_privilege(c.relowner, %(oid)s::oid, 'SELECT')
    OR 2 = (
        SELECT count(*)
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = %(oid)s::oid
            AND a.attname IN ('durability', 'category')
            AND NOT a.attisdropped
            AND has_column_privilege(c.relowner, a.attrelid, a.attnum, 'SELECT')
    ) AS owner_reads,
    (SELECT max(reach.depth) FROM reach WHERE reach.view = c.oid) AS depth,
    o.outputs,
    o.types,
    o.collations,
    o.plain,
    o.lengths
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT
        array_agg(a.attname::text ORDER BY a.attnum) AS outputs,
        array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS types,
        array_agg(
            -- A cast takes the collation of what it casts, here the default, and not that of its type.
            CASE
                WHEN l.collname IS NULL OR l.collname = 'default' THEN ''
                ELSE format('%%I.%%I', cn.nspname, l.collname)
            END
            ORDER BY a.attnum
        ) AS collations,
        array_agg(t.typtype = 'b' AND t.typcategory = 'S' ORDER BY a.attnum) AS plain,
        array_agg(
            CASE WHEN a.atttypmod > 4 THEN a.atttypmod - 4 ELSE -1 END ORDER BY a.attnum
        ) AS lengths
    FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
    LEFT JOIN pg_catalog.pg_namespace AS cn ON cn.oid = l.collnamespace
    WHERE a.attrelid = c.oid AND a.attnum > 0
) AS o
WHERE c.relkind = 'v' AND c.oid IN (SELECT reach.view FROM reach WHERE reach.depth = 0)
ORDER BY depth, n.nspname, c.relname
