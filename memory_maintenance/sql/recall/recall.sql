-- What memory_maintenance.recall gives, called as any program may. Parameters: its own. Result: its columns, best first.
-- Locks: those of record_access.
SELECT
    r.id, r.key, r.value, r.category, r.durability, r.similarity, r.importance, r.effective_importance, r.score, r.explanation
FROM memory_maintenance.recall(
    query_embedding => %(embedding)s::text,
    query_text => %(text)s::text,
    k => %(k)s::int4,
    facts => %(facts)s::text,
    viewer => %(viewer)s::text,
    visibility => %(visibility)s::text[],
    categories => %(categories)s::text[],
    durabilities => %(durabilities)s::text[],
    min_similarity => %(min_similarity)s::float8,
    record => %(record)s,
    as_of => %(as_of)s,
    explain => %(explain)s
) AS r
