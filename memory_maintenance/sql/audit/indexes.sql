-- Indexes that name the column, as a key, in an expression or in a predicate: PostgreSQL drops them all with it,
-- without a word. Those behind a constraint are listed as that.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool: a plain btree on the column alone. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'index' AS kind,
    c.oid::regclass::text AS name,
    pg_get_indexdef(c.oid) AS definition,
    CASE
        WHEN dep.attnum = ANY (i.indkey::int2[]) AND i.indnatts = 1 THEN 'it is on '
        WHEN dep.attnum = ANY (i.indkey::int2[]) THEN 'it is on other columns and '
        WHEN i.indpred IS NOT NULL AND i.indexprs IS NULL THEN 'it is on other columns, where '
        ELSE 'an expression of it reads '
    END || %(column)s::text
    || CASE
        WHEN dep.attnum = ANY (i.indkey::int2[]) OR i.indpred IS NULL OR i.indexprs IS NOT NULL THEN ''
        ELSE ' fulfils its condition'
    END AS why,
    c.oid::bigint AS oid,
    m.amname = 'btree' AND i.indnatts = 1 AND i.indkey[0] = dep.attnum AND i.indpred IS NULL
    AND NOT i.indisunique AS owned
FROM dep
JOIN pg_catalog.pg_class AS c
    ON dep.classid = 'pg_catalog.pg_class'::regclass AND c.oid = dep.objid AND c.relkind IN ('i', 'I')
JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid
JOIN pg_catalog.pg_am AS m ON m.oid = c.relam
-- What a partition has from its parent is listed there.
WHERE NOT c.relispartition
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_constraint AS k
        WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x')
    )
ORDER BY 2
