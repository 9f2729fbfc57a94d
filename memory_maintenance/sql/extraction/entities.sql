-- What the column entity_id refers to, whether or not this role may read it. Parameters: oid: of the facts.
-- Result: oid, schema, name: of a table; "column": of it; makes_keys: whether that has values of its own; named,
-- typed: whether it has the columns name and type; no row where it refers to nothing. Locks: none.
SELECT
    c.oid::bigint AS oid,
    n.nspname::text AS schema,
    c.relname::text AS name,
    r.attname::text AS "column",
    r.atthasdef OR r.attidentity::text <> ''::text AS makes_keys,
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS o
        WHERE o.attrelid = c.oid AND o.attname = 'name' AND o.attnum > 0 AND NOT o.attisdropped
    ) AS named,
    EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS o
        WHERE o.attrelid = c.oid AND o.attname = 'type' AND o.attnum > 0 AND NOT o.attisdropped
    ) AS typed
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
JOIN pg_catalog.pg_class AS c ON c.oid = k.confrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS r ON r.attrelid = k.confrelid AND r.attnum = k.confkey[1]
WHERE k.conrelid = %(oid)s::oid
    AND k.contype = 'f'
    AND array_length(k.conkey, 1) = 1
    AND a.attname = 'entity_id'
ORDER BY k.oid
LIMIT 1
