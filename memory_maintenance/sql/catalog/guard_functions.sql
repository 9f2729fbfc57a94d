-- Functions of our schema by name, to be compared with the files that made them. Parameters: names text[].
-- Result: name, body text; definer bool: SECURITY DEFINER; settings text[]: its SET clauses. Locks: none.
SELECT
    p.proname::text AS name,
    p.prosrc AS body,
    p.prosecdef AS definer,
    coalesce(p.proconfig, '{{}}'::text[]) AS settings
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace = to_regnamespace('memory_maintenance') AND p.proname::text = ANY (%(names)s::text[])
ORDER BY p.proname
