-- The first facts whose confidence is below the archive threshold.
-- Parameters: those of facts/projection; listed: how many. Slots: projected: the projection of all facts. Result: key, in order. Locks: none.
SELECT p.key
FROM ({projected}) AS p
WHERE p.value < %(threshold)s::float8
ORDER BY p.key
LIMIT %(listed)s::int8
