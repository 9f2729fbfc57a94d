-- Whether the server knows a time zone by that name. Parameters: zone. Result: known bool. Locks: none.
SELECT EXISTS (
    SELECT FROM pg_catalog.pg_timezone_names AS z WHERE lower(z.name) = lower(%(zone)s)
) AS known
