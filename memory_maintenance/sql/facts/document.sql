-- A json column as jsonb; NULL where jsonb can't hold it: a \u0000, half of a pair of surrogates, a number too
-- large. A fragment: these would stop the batch. Slots: column.
CASE
    WHEN {column}::text ~ '\\u0000'::text THEN NULL
    -- A number, so outside of strings: a uuid may hold 9e1234 too.
    WHEN pg_catalog.regexp_replace(
        {column}::text, '"([^"\\]|\\.)*"'::text, ''::text, 'g'::text
    ) ~ '[0-9][eE][+]?[0-9]{{4}}'::text THEN NULL
    WHEN pg_catalog.regexp_replace(
        {column}::text, '\\u[dD][89abAB][0-9a-fA-F]{{2}}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}'::text, ''::text, 'g'::text
    ) ~ '\\u[dD][89a-fA-F]'::text THEN NULL
    ELSE {column}::jsonb
END
