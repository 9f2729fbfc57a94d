-- Which of these names something in the schema already has. Parameters: schema; names text[].
-- Result: name text. Locks: none.
SELECT c.relname::text AS name
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname::text = ANY (%(names)s::text[])
