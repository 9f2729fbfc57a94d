-- The facts that resemble a text the most, among those that may be given. Every one is looked at. A fragment.
-- Parameters: those of recall/candidate; query: text; wanted: how many; gate: the least similarity. Slots: facts; key;
-- candidate; similarity: recall/lexemes or recall/trigrams.
-- Result: as recall/by_index.
SELECT d.source, d.similarity
FROM (
    SELECT
        f.{key} AS key,
        f.{key}::text AS source,
        {similarity} AS similarity
    FROM {facts} AS f
    WHERE {candidate}
    OFFSET 0
) AS d
WHERE d.similarity > 0::float8 AND d.similarity >= %(gate)s::float8
ORDER BY d.similarity DESC, d.key
LIMIT %(wanted)s::int4
