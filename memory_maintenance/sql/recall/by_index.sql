-- The facts nearest to an embedding, whichever may be given: an index on the embeddings serves the order. A fragment.
-- Parameters: query: its type is that of the column; wanted: how many. Slots: embeddings: the table; vector: its column's type;
-- operator: cosine distance; comparable: recall/comparable, or true where all are.
-- Result: source: the key of a fact as text; similarity: float8.
SELECT
    d.source,
    1::float8 - d.distance AS similarity
FROM (
    SELECT e.source_id::text AS source, e.embedding {operator} %(query)s::{vector} AS distance
    FROM {embeddings} AS e
    WHERE e.source_type::text = 'entity_fact'::text AND {comparable}
    ORDER BY distance
    LIMIT %(wanted)s::int4
) AS d
