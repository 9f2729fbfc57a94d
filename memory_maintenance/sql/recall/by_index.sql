-- The facts nearest to an embedding, whichever may be given: an index on the embeddings serves the order.
-- Parameters: query: a vector as text; wanted: how many. Slots: embeddings: the table; vector: its column's type;
-- operator: cosine distance.
-- Result: sources: keys of facts as text, similarities: float8, nearest first; lowest: the least of these. Locks: none.
SELECT
    pg_catalog.array_agg(n.source) AS sources,
    pg_catalog.array_agg(n.similarity) AS similarities,
    pg_catalog.min(n.similarity) AS lowest
FROM (
    SELECT
        e.source_id::text AS source,
        1::float8 - (e.embedding {operator} %(query)s::{vector}) AS similarity
    FROM {embeddings} AS e
    WHERE e.source_type::text = 'entity_fact'::text
    ORDER BY e.embedding {operator} %(query)s::{vector}
    LIMIT %(wanted)s
) AS n
