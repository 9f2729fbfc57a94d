-- Whether the database's encoding, and its JSON, can hold texts, for a dry run: an error where they can't.
-- Parameters: texts: an array; document: JSON or NULL. Result: held. Locks: none.
SELECT
    pg_catalog.array_length(%(texts)s::text[], 1) IS NOT NULL
    AND coalesce(pg_catalog.jsonb_typeof(%(document)s::jsonb) IS NOT NULL, true) AS held
