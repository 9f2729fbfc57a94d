-- Entities whose name may be that one in other letters, upper or lower: ASCII names that are, and all others.
-- Parameters: folded: the name, case-folded; type. Slots: entities; column: their key; same_type: extraction/same_type,
-- or nothing; letters: extraction/letters of the name. Result: key; name. Locks: none.
SELECT e.{column} AS key, e.name::text AS name
FROM {entities} AS e
WHERE {letters}
{same_type}
ORDER BY e.{column}
