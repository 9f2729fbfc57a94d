-- Values that a column of another table lacks. Parameters: values text[]. Slots: relation, column.
-- Result: value text. Locks: ACCESS SHARE.
SELECT v.value
FROM pg_catalog.unnest(%(values)s::text[]) WITH ORDINALITY AS v (value, place)
WHERE NOT EXISTS (SELECT FROM {relation} AS r WHERE r.{column}::text = v.value)
ORDER BY v.place
