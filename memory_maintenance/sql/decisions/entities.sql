-- What the column entity_id refers to. Parameters: oid: of the facts. Result: schema, name: of a table; "column": of
-- it; no row where it refers to nothing, or to what this role may not read. Locks: none.
SELECT n.nspname::text AS schema, c.relname::text AS name, r.attname::text AS "column"
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
JOIN pg_catalog.pg_class AS c ON c.oid = k.confrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS r ON r.attrelid = k.confrelid AND r.attnum = k.confkey[1]
WHERE k.conrelid = %(oid)s::oid
    AND k.contype = 'f'
    AND array_length(k.conkey, 1) = 1
    AND a.attname = 'entity_id'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND has_column_privilege(c.oid, r.attnum, 'SELECT')
ORDER BY k.oid
LIMIT 1
