-- Whether it is recorded that facts are retrieved (spec 4). Parameters: as_of; zone; age_s: seconds, from which on a fact should have
-- been retrieved once. Slots: facts; learned_at, last_accessed_at: timestamptz expressions.
-- Result: facts: older than that; unrecorded: those without an access after their creation. Locks: none.
SELECT
    pg_catalog.count(*) AS facts,
    pg_catalog.count(*) FILTER (
        WHERE a.last_accessed_at IS NULL OR a.last_accessed_at <= a.learned_at
    ) AS unrecorded
FROM (
    SELECT {learned_at} AS learned_at, {last_accessed_at} AS last_accessed_at
    FROM {facts} AS f
    OFFSET 0
) AS a
WHERE a.learned_at < %(as_of)s - %(age_s)s::float8 * '1 second'::interval
