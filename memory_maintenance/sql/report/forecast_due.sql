-- How many open obligations fall due on each day after the report's instant: expire-obligations at its end finds them overdue.
-- Parameters: those of obligations/state; as_of; until: the forecast's end; listed: how many keys of each day. Slots: state: the fragment
-- obligations/state; facts; key; expires: a timestamptz expression. Result: day: from 1; facts; keys: the first. Locks: none.
SELECT
    n.day,
    pg_catalog.count(*) AS facts,
    pg_catalog.array_agg(n.key ORDER BY n.key) FILTER (WHERE n.place <= %(listed)s::int8) AS keys
FROM (
    SELECT d.key, d.day, pg_catalog.row_number() OVER (PARTITION BY d.day ORDER BY d.key) AS place
    FROM (
        SELECT
            k.key,
            pg_catalog.ceil(
                pg_catalog.date_part('epoch'::text, {expires} - %(as_of)s::timestamptz) / 86400::float8
            )::int4 AS day
        FROM (
            {state}
            WHERE f.category::text = 'obligation'::text
                AND {expires} > %(as_of)s::timestamptz
                AND {expires} <= %(until)s::timestamptz
            OFFSET 0
        ) AS k
        JOIN {facts} AS f ON f.{key} = k.key
        WHERE k.problem IS NULL
            AND coalesce(
                (k.obligation ->> 'status'::text) <> ALL ('{{done,cancelled,missed}}'::text[]), true
            )
    ) AS d
) AS n
GROUP BY n.day
ORDER BY n.day
