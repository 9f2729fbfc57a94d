-- Constraints that name the column: of the table, of a partition alone, and foreign keys of others to it.
-- A CHECK or NOT NULL on the column alone goes with it.
-- Parameters: oid, column. Slots: columns (audit/columns). Result: kind, name, definition, why text; oid bigint;
-- owned bool. Locks: none.
WITH RECURSIVE {columns}
SELECT DISTINCT
    'constraint' AS kind,
    format('%%I on %%s', k.conname, k.conrelid::regclass) AS name,
    pg_get_constraintdef(k.oid) AS definition,
    CASE k.contype
        WHEN 'c' THEN 'its condition names '
        WHEN 'n' THEN 'it forbids NULL in '
        WHEN 'p' THEN 'it identifies rows by '
        WHEN 'u' THEN 'it keeps rows unique by '
        WHEN 'x' THEN 'it excludes rows by '
        WHEN 'f' THEN
            CASE
                WHEN k.conrelid = dep.attrelid THEN 'it keeps to another table the values of '
                ELSE 'it refers to '
            END
        ELSE 'it names '
    END || %(column)s::text AS why,
    k.oid::bigint AS oid,
    k.contype IN ('c', 'n') AND k.conrelid = dep.attrelid AND k.conkey = ARRAY[dep.attnum] AS owned
FROM dep
JOIN pg_catalog.pg_constraint AS k
    ON (dep.classid = 'pg_catalog.pg_constraint'::regclass AND k.oid = dep.objid)
    -- The condition and expressions of an exclusion belong to its index.
    OR (
        dep.classid = 'pg_catalog.pg_class'::regclass
        AND k.conindid = dep.objid
        AND k.contype IN ('p', 'u', 'x')
    )
-- What a partition has from its parent is listed there.
WHERE k.coninhcount = 0 AND k.conparentid = 0
ORDER BY 2
