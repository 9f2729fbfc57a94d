-- How alike two texts are by their trigrams (spec 4), where there is pg_trgm: what part of the query's trigrams stands in
-- the most alike extent of the fact's text. A fragment.
-- Parameters: query. Slots: document: the fact's text; word_similarity: the function.
-- Result: float8, 0 to 1.
{word_similarity}(
    pg_catalog."left"(%(query)s::text, 10000), pg_catalog."left"({document}, 10000)
)::float8
