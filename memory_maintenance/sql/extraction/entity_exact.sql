-- Entities of that very name. Parameters: name; type. Slots: entities; column: their key; same_type:
-- extraction/same_type, or nothing. Result: key; name; at most two rows, which are too many. Locks: none.
SELECT e.{column} AS key, e.name::text AS name
FROM {entities} AS e
WHERE e.name::text = %(name)s::text
{same_type}
ORDER BY e.{column}
LIMIT 2
