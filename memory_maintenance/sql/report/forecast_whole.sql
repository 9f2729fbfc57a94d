-- The span within which a fact f may cross the threshold once: all days. A fragment. Parameters: days: how many. Slots: none.
-- Result: first, last: numbers of days.
SELECT 0::int4 AS first, %(days)s::int4 AS last
