-- Expressions over the table, or over whole rows of it, that don't name the column: conditions of constraints, of
-- indexes and of policies, expressions of indexes. What takes whole rows is recorded as depending on the table alone.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition text; oid bigint; query text:
-- the expression as a query of its own. Locks: none.
WITH RECURSIVE {columns},
over AS (
    SELECT DISTINCT d.classid, d.objid
    FROM tree
    JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_class'::regclass
        AND d.refobjid = tree.relid
        AND d.refobjsubid = 0
),
expression AS (
    SELECT
        'pg_catalog.pg_constraint'::regclass AS classid,
        'constraint' AS kind,
        format('%%I on %%s', k.conname, k.conrelid::regclass) AS name,
        pg_get_constraintdef(k.oid) AS definition,
        k.oid,
        k.conrelid AS relid,
        pg_get_expr(k.conbin, k.conrelid) AS text
    FROM tree
    JOIN pg_catalog.pg_constraint AS k ON k.conrelid = tree.relid
    WHERE k.contype = 'c' AND k.coninhcount = 0
    UNION ALL
    SELECT
        'pg_catalog.pg_class'::regclass,
        'index',
        i.indexrelid::regclass::text,
        pg_get_indexdef(i.indexrelid),
        i.indexrelid,
        i.indrelid,
        concat_ws(', ', pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid))
    FROM tree
    JOIN pg_catalog.pg_index AS i ON i.indrelid = tree.relid
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid AND NOT c.relispartition
    WHERE i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
    UNION ALL
    SELECT
        'pg_catalog.pg_policy'::regclass,
        'policy',
        format('%%I on %%s', p.polname, p.polrelid::regclass),
        concat_ws(
            ' ',
            'USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
            'WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'
        ),
        p.oid,
        p.polrelid,
        concat_ws(', ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
    FROM over
    JOIN pg_catalog.pg_policy AS p
        ON over.classid = 'pg_catalog.pg_policy'::regclass AND p.oid = over.objid
)
SELECT
    e.kind,
    e.name,
    e.definition,
    e.oid::bigint AS oid,
    format('SELECT %%s FROM %%s', e.text, e.relid::regclass) AS query
FROM expression AS e
WHERE e.text LIKE '%%.*%%'
    AND NOT EXISTS (SELECT FROM dep WHERE dep.classid = e.classid AND dep.objid = e.oid)
ORDER BY 1, 2
