-- Obligations by their state at an instant (spec 5), and the next of each.
-- Parameters: those of obligations/state; soon_s: seconds, within which one is due soon; listed: how many keys; next: how many to show; shown: characters of a
-- value. Slots: state: the fragment obligations/state; facts; key; expires: a timestamptz expression.
-- Result: state: overdue, due_soon, upcoming (later), undated (said to have no deadline), unread (none stored, one may be read
-- from the text), done, cancelled, missed, problem; facts; keys: the first; next: keys by deadline, of those that have one; deadlines, as text; values. Locks: none.
WITH judged AS (
    SELECT
        k.key,
        k.deadline,
        pg_catalog."left"(k.value, %(shown)s::int4) AS value,
        {expires} AS expires,
        CASE
            WHEN k.problem IS NOT NULL THEN 'problem'::text
            WHEN (k.obligation ->> 'status'::text) = ANY ('{{done,cancelled,missed}}'::text[])
                THEN k.obligation ->> 'status'::text
            WHEN k.endless THEN 'undated'::text
            WHEN k.deadline IS NULL THEN 'unread'::text
            WHEN k.past THEN 'overdue'::text
            WHEN {expires} <= %(as_of)s::timestamptz + %(soon_s)s::float8 * '1 second'::interval THEN 'due_soon'::text
            ELSE 'upcoming'::text
        END AS state
    FROM (
        {state}
        WHERE f.category::text = 'obligation'::text
        OFFSET 0
    ) AS k
    JOIN {facts} AS f ON f.{key} = k.key
),
numbered AS (
    SELECT
        j.key,
        j.deadline,
        j.value,
        j.state,
        pg_catalog.row_number() OVER (PARTITION BY j.state ORDER BY j.key) AS place,
        pg_catalog.row_number() OVER (PARTITION BY j.state ORDER BY j.expires, j.key) AS turn
    FROM judged AS j
)
SELECT
    n.state,
    pg_catalog.count(*) AS facts,
    pg_catalog.array_agg(n.key ORDER BY n.key) FILTER (WHERE n.place <= %(listed)s::int8) AS keys,
    pg_catalog.array_agg(n.key ORDER BY n.turn) FILTER (WHERE n.turn <= %(next)s::int8) AS next,
    pg_catalog.array_agg(n.deadline ORDER BY n.turn) FILTER (WHERE n.turn <= %(next)s::int8) AS deadlines,
    pg_catalog.array_agg(n.value ORDER BY n.turn) FILTER (WHERE n.turn <= %(next)s::int8) AS values
FROM numbered AS n
GROUP BY n.state
