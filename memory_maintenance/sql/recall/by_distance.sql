-- The facts nearest to an embedding among those that may be given, found without an index on the embeddings. A fragment.
-- Parameters: those of recall/candidate; query: its type is that of the column; wanted: how many; gate: the least similarity.
-- Slots: facts; key; candidate; embeddings: the table; vector: its column's type; operator: cosine distance;
-- comparable: recall/comparable, or true where all are.
-- Result: as recall/by_index.
SELECT
    d.source,
    1::float8 - d.distance AS similarity
FROM (
    SELECT f.{key}::text AS source, e.embedding {operator} %(query)s::{vector} AS distance
    FROM {facts} AS f
    JOIN {embeddings} AS e ON e.source_type::text = 'entity_fact'::text AND e.source_id::text = f.{key}::text
    WHERE {comparable} AND {candidate}
    OFFSET 0
) AS d
-- The distance to a vector of zeros is NaN, greater than any number.
WHERE d.distance <= 1::float8 - %(gate)s::float8
ORDER BY d.distance
LIMIT %(wanted)s::int4
