-- Functions and procedures of others that may use the table's column or its rows: what pg_depend or their
-- signature says, or whose text or defaults have the name of the column or of the table somewhere.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, schema, name, signature, language, source,
-- definition text; oid bigint; depends bool: its SQL-standard body names the column; returns_row bool: the table's
-- row type, SETOF it included; row_in_signature bool: that or an array or domain of it, anywhere; is_trigger bool;
-- arguments text[], argument_modes text[]: '' where unnamed; argument_relations bigint[]: whose row type it is, 0
-- for other types; defaults text: of the parameters, '' for none; trigger_on bigint[]; settings text[]. Locks: none.
WITH RECURSIVE {columns},
row_type AS (
    SELECT t.oid
    FROM tree
    JOIN pg_catalog.pg_class AS c ON c.oid = tree.relid
    CROSS JOIN LATERAL (
        SELECT r.oid FROM pg_catalog.pg_type AS r WHERE r.oid = c.reltype
        UNION ALL
        SELECT r.typarray FROM pg_catalog.pg_type AS r WHERE r.oid = c.reltype AND r.typarray <> 0
    ) AS t
    UNION
    SELECT d.oid
    FROM row_type
    JOIN pg_catalog.pg_type AS d ON d.typbasetype = row_type.oid AND d.typtype = 'd'
),
-- Or each function's text would be searched for the name of every relation, before those are sorted out.
names AS MATERIALIZED (
    SELECT lower(%(column)s::text COLLATE pg_catalog."C") AS name
    UNION
    SELECT lower(c.relname::text COLLATE pg_catalog."C") FROM tree JOIN pg_catalog.pg_class AS c ON c.oid = tree.relid
),
chosen AS (
    SELECT
        p.*,
        -- Names are folded so, too, and by a database's own rules a megabyte takes seconds.
        lower(p.prosrc COLLATE pg_catalog."C") AS folded,
        coalesce(p.proallargtypes, p.proargtypes::oid[]) AS argument_types,
        coalesce(pg_get_expr(p.proargdefaults, 0), '') AS defaults,
        EXISTS (
            SELECT FROM dep
            WHERE dep.classid = 'pg_catalog.pg_proc'::regclass AND dep.objid = p.oid
        ) AS depends,
        EXISTS (
            SELECT FROM row_type
            WHERE row_type.oid = p.prorettype
                OR row_type.oid = ANY (coalesce(p.proallargtypes, p.proargtypes::oid[]))
        ) AS row_in_signature
    FROM pg_catalog.pg_proc AS p
    WHERE p.prokind IN ('f', 'p')
)
SELECT
    CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind,
    n.nspname::text AS schema,
    p.proname::text AS name,
    format('%%I.%%I(%%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)) AS signature,
    l.lanname::text AS language,
    p.prosrc AS source,
    -- NULL where somebody has dropped it since our snapshot.
    coalesce(pg_get_functiondef(p.oid), '') AS definition,
    p.oid::bigint AS oid,
    p.depends,
    p.prorettype = (
        SELECT c.reltype FROM pg_catalog.pg_class AS c WHERE c.oid = %(oid)s::oid
    ) AS returns_row,
    p.row_in_signature,
    p.prorettype = 'pg_catalog.trigger'::regtype AS is_trigger,
    ARRAY(
        SELECT coalesce(p.proargnames[a.place], '')
        FROM unnest(p.argument_types) WITH ORDINALITY AS a (type, place)
        ORDER BY a.place
    )::text[] AS arguments,
    ARRAY(
        SELECT coalesce(p.proargmodes[a.place]::text, 'i')
        FROM unnest(p.argument_types) WITH ORDINALITY AS a (type, place)
        ORDER BY a.place
    )::text[] AS argument_modes,
    ARRAY(
        SELECT coalesce(t.typrelid, 0)::bigint
        FROM unnest(p.argument_types) WITH ORDINALITY AS a (type, place)
        LEFT JOIN pg_catalog.pg_type AS t ON t.oid = a.type
        ORDER BY a.place
    ) AS argument_relations,
    p.defaults,
    ARRAY(
        SELECT DISTINCT t.tgrelid::bigint
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgfoid = p.oid AND NOT t.tgisinternal
    ) AS trigger_on,
    coalesce(p.proconfig, '{{}}'::text[]) AS settings
FROM chosen AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'memory_maintenance')
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS e
        WHERE e.classid = 'pg_catalog.pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
    )
    AND (
        p.depends
        OR p.row_in_signature
        OR (
            l.lanname NOT IN ('internal', 'c')
            AND (
                -- A name or string spelled with escapes, U&"d\0061ta_type".
                position('u&' IN p.folded) > 0
                OR EXISTS (SELECT FROM names WHERE position(names.name IN p.folded) > 0)
                OR EXISTS (
                    SELECT FROM names
                    WHERE position(names.name IN lower(p.defaults COLLATE pg_catalog."C")) > 0
                )
            )
        )
    )
ORDER BY signature
