-- An instant as text, such as 2026-05-16T05:00:00Z: the form in which data and events hold it, which knows no years
-- before 1. A fragment. Slots: at: a timestamptz. Result: text.
pg_catalog.replace(
    pg_catalog.to_char(
        pg_catalog.timezone(
            'UTC'::text,
            CASE WHEN {at} IS NOT NULL THEN greatest({at}, '0001-01-01 00:00:00+00'::timestamptz) END
        ), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text
    ), '.000000Z'::text, 'Z'::text
)
