-- An instant as text, such as 2026-05-16T05:00:00Z: the form in which data and events hold it. A fragment.
-- Slots: at: a timestamptz. Result: text.
pg_catalog.replace(
    pg_catalog.to_char(
        pg_catalog.timezone('UTC'::text, {at}), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text
    ), '.000000Z'::text, 'Z'::text
)
