-- Values that the condition of a CHECK would refuse; like a CHECK, it lets NULL through. What it calls is run.
-- Parameters: values text[]. Slots: column; type: of the column; condition: names nothing but the column.
-- Result: value text. Locks: those of what the condition calls.
SELECT f.{column}::text AS value
FROM (
    SELECT v.value::{type} AS {column}
    FROM pg_catalog.unnest(%(values)s::text[]) WITH ORDINALITY AS v (value, place)
    ORDER BY v.place
) AS f
WHERE NOT ({condition})
