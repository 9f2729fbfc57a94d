-- The spans within each of which a fact f may cross the threshold once, where obligations decay before their deadline
-- and start anew at it: day by day if that falls into the forecast, else all days. A fragment.
-- Parameters: as_of, until, days. Slots: none. Result: first, last: numbers of days.
SELECT s.first, s.first + w.width AS last
FROM (
    SELECT CASE
        WHEN f.category::text = 'obligation'::text
            AND f.expires > %(as_of)s::timestamptz
            AND f.expires <= %(until)s::timestamptz
            THEN 1::int4
        ELSE %(days)s::int4
    END AS width
) AS w
CROSS JOIN LATERAL pg_catalog.generate_series(0::int4, %(days)s::int4 - 1::int4, w.width) AS s (first)
