-- CHECKs and, since PostgreSQL 18, NOT NULLs in force, of a table or a partition of it, that nobody has validated:
-- stored rows may break them. Those that partitions inherit are told once, where they are in force above.
-- Parameters: oid; skipped text[]: names of the table's own that aren't asked for; columns text[].
-- Result: name, table_schema, table_name, definition, condition text; names_column bool: one of columns, or the
-- whole row. Locks: ACCESS SHARE on the partitions.
SELECT
    k.conname::text AS name,
    n.nspname::text AS table_schema,
    c.relname::text AS table_name,
    pg_get_constraintdef(k.oid) AS definition,
    CASE k.contype
        WHEN 'c' THEN pg_get_expr(k.conbin, k.conrelid)
        -- IS NOT NULL would be false of a composite value with a NULL in it. No operator is looked up here.
        ELSE format('%%I IS DISTINCT FROM NULL', o.name)
    END AS condition,
    EXISTS (
        SELECT FROM unnest(k.conkey) AS u (attnum)
        LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.attnum
        WHERE u.attnum = 0 OR a.attname::text = ANY (%(columns)s::text[])
    ) AS names_column
FROM (
    SELECT %(oid)s::oid AS relid
    UNION
    SELECT p.relid::oid FROM pg_partition_tree(%(oid)s::oid::regclass) AS p
) AS t
JOIN pg_catalog.pg_constraint AS k ON k.conrelid = t.relid
JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN LATERAL (
    SELECT a.attname AS name
    FROM pg_catalog.pg_attribute AS a
    WHERE k.contype = 'n' AND a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
) AS o ON true
WHERE k.contype IN ('c', 'n')
    AND k.conenforced
    AND NOT k.convalidated
    AND NOT (t.relid = %(oid)s::oid AND k.conname::text = ANY (%(skipped)s::text[]))
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_inherits AS h
        JOIN pg_catalog.pg_constraint AS u ON u.conrelid = h.inhparent
        LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = h.inhparent AND a.attnum = u.conkey[1]
        WHERE h.inhrelid = t.relid
            AND u.contype = k.contype
            AND u.conenforced
            AND NOT u.convalidated
            AND CASE k.contype WHEN 'c' THEN u.conname = k.conname ELSE a.attname = o.name END
    )
ORDER BY k.conname, n.nspname, c.relname
