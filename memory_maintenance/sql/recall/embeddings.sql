-- The tables of embeddings that recall could use beside a table of facts, the best first.
-- Parameters: oid: of the facts. Result: schema; usable: whether its shape is that of spec 4; trusted: whether it belongs to
-- the owner of the facts or a superuser, lest somebody else put a table there first; vector_schema, vector: the type of the
-- column embedding; dimensions: NULL where the column takes any; version: of the extension. Locks: none.
SELECT
    n.nspname::text AS schema,
    coalesce(x.extname = 'vector' AND t.typname IN ('vector', 'halfvec'), false)
        AND EXISTS (SELECT FROM pg_attribute AS s WHERE s.attrelid = e.oid AND s.attname = 'source_type' AND NOT s.attisdropped)
        AND EXISTS (SELECT FROM pg_attribute AS s WHERE s.attrelid = e.oid AND s.attname = 'source_id' AND NOT s.attisdropped)
        AS usable,
    e.relowner = f.relowner OR r.rolsuper AS trusted,
    m.nspname::text AS vector_schema,
    t.typname::text AS vector,
    CASE WHEN a.atttypmod > 0 THEN a.atttypmod END AS dimensions,
    x.extversion::text AS version
FROM pg_class AS f
JOIN pg_class AS e ON e.relname = 'memory_embeddings' AND e.relkind IN ('r', 'p')
JOIN pg_namespace AS n ON n.oid = e.relnamespace AND (e.relnamespace = f.relnamespace OR n.nspname = 'public')
JOIN pg_roles AS r ON r.oid = e.relowner
LEFT JOIN pg_attribute AS a ON a.attrelid = e.oid AND a.attname = 'embedding' AND NOT a.attisdropped
LEFT JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_namespace AS m ON m.oid = t.typnamespace
LEFT JOIN pg_depend AS d
    ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
    AND d.refclassid = 'pg_extension'::regclass
LEFT JOIN pg_extension AS x ON x.oid = d.refobjid
WHERE f.oid = %(oid)s::oid
ORDER BY e.relnamespace = f.relnamespace DESC
