-- What a change says of data.obligation. A fragment of SET. What else data holds stays; a JSON null is none.
-- Slots: document: the column as jsonb; type: that of the column.
data = (
    CASE WHEN pg_catalog.jsonb_typeof({document}) = 'object'::text THEN {document} ELSE '{{}}'::jsonb END
    || pg_catalog.jsonb_build_object(
        'obligation',
        (
            CASE
                WHEN pg_catalog.jsonb_typeof({document} -> 'obligation'::text) = 'object'::text
                    THEN {document} -> 'obligation'::text
                ELSE '{{}}'::jsonb
            END
            - ARRAY(SELECT pg_catalog.jsonb_array_elements_text(l.change -> 'drop'::text))
        ) || (l.change -> 'set'::text)
    )
)::{type}
