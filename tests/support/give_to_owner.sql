-- Makes the role named in the setting mm_test.owner the owner of schema public and all that is in it.
--
-- Purpose: a deployment whose owner is no superuser. Sequences of serial columns follow their table;
--          objects that belong to an extension stay as they are.
-- Locks:   ACCESS EXCLUSIVE on each relation.

DO $block$
DECLARE
    new_owner text := quote_ident(current_setting('mm_test.owner'));
    statement text;
BEGIN
    EXECUTE 'GRANT CREATE ON DATABASE ' || quote_ident(current_database()) || ' TO ' || new_owner;
    FOR statement IN
        SELECT 'ALTER TABLE ' || c.oid::regclass || ' OWNER TO ' || new_owner
        FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = 'public'::regnamespace
            AND c.relkind IN ('r', 'p', 'v', 'm')
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
            )
        UNION ALL
        SELECT 'ALTER ROUTINE ' || p.oid::regprocedure || ' OWNER TO ' || new_owner
        FROM pg_catalog.pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
            )
        UNION ALL
        SELECT 'ALTER TYPE ' || t.oid::regtype || ' OWNER TO ' || new_owner
        FROM pg_catalog.pg_type AS t
        WHERE t.typnamespace = 'public'::regnamespace
            AND t.typtype = 'e'
    LOOP
        EXECUTE statement;
    END LOOP;
    EXECUTE 'ALTER SCHEMA public OWNER TO ' || new_owner;
END;
$block$;
