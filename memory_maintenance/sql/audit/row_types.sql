-- Columns of tables and composite types, and domains, whose type is the table's row type or an array of it.
-- Views and indexes have such columns too, but are listed as what they are.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: thing text: "column" or "domain"; name, definition,
-- why text; oid bigint. Locks: none.
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
)
SELECT
    'column' AS thing,
    format('%%s.%%I', c.oid::regclass, a.attname) AS name,
    format('%%I %%s', a.attname, format_type(a.atttypid, a.atttypmod)) AS definition,
    'this column holds whole rows of ' || (%(oid)s::oid)::regclass::text AS why,
    c.oid::bigint AS oid
FROM row_type
JOIN pg_catalog.pg_attribute AS a ON a.atttypid = row_type.oid
JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'c')
UNION ALL
SELECT
    'domain',
    format_type(t.oid, NULL),
    format(
        'CREATE DOMAIN %%s AS %%s', format_type(t.oid, NULL), format_type(t.typbasetype, t.typtypmod)
    ),
    'the domain is over whole rows of ' || (%(oid)s::oid)::regclass::text,
    t.oid::bigint
FROM row_type
JOIN pg_catalog.pg_type AS t ON t.oid = row_type.oid AND t.typtype = 'd'
ORDER BY 1, 2
