-- The trigram index on the text of facts, where the server has pg_trgm.
--
-- Purpose: deployments search facts by lower(value). The embedded server lacks the extension, and a
--          role may lack the right to create it: then the index is left out, without an error.
-- Locks:   SHARE on entity_facts while the index is built.

DO $block$
DECLARE
    extension_schema name;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'pg_trgm') THEN
        RETURN;
    END IF;
    BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
    EXCEPTION
        WHEN insufficient_privilege THEN
            RETURN;
    END;
    SELECT n.nspname INTO STRICT extension_schema
    FROM pg_catalog.pg_extension AS x
    JOIN pg_catalog.pg_namespace AS n ON n.oid = x.extnamespace
    WHERE x.extname = 'pg_trgm';
    EXECUTE 'CREATE INDEX idx_entity_facts_value_trgm ON public.entity_facts'
        || ' USING gin (lower(value) ' || quote_ident(extension_schema) || '.gin_trgm_ops)';
END;
$block$;
