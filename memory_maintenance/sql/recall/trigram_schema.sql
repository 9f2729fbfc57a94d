-- Where pg_trgm is installed. Result: at most one row: schema. Locks: none.
SELECT n.nspname::text AS schema
FROM pg_extension AS x
JOIN pg_namespace AS n ON n.oid = x.extnamespace
WHERE x.extname = 'pg_trgm'
