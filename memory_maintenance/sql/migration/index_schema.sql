-- Schemas in which this role may not create an index, which its owning the table doesn't give.
-- Parameters: schemas text[]. Result: schema text. Locks: none.
SELECT n.nspname::text AS schema
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname::text = ANY (%(schemas)s::text[]) AND NOT has_schema_privilege(n.oid, 'CREATE')
ORDER BY n.nspname
