-- How alike two texts are by their words (spec 4), where there are no trigrams: the cosine between the sets of their
-- lexemes, |A and B| / sqrt(|A| * |B|). 1 for the same words in any order, 0 for none in common. A fragment.
-- Parameters: query. Slots: document: the fact's text; configuration: of full text search.
-- Result: float8, 0 to 1.
(
    SELECT coalesce(
        pg_catalog.length(w.document)
            - pg_catalog.length(pg_catalog.ts_delete(w.document, pg_catalog.tsvector_to_array(w.query))),
        0
    )::float8 / pg_catalog.sqrt(
        nullif(pg_catalog.length(w.document) * pg_catalog.length(w.query)::int4, 0::int4)::float8
    )
    FROM (
        SELECT
            pg_catalog.to_tsvector({configuration}, pg_catalog."left"({document}, 10000)) AS document,
            -- Reckoned once, not for each fact.
            (SELECT pg_catalog.to_tsvector({configuration}, pg_catalog."left"(%(query)s::text, 10000))) AS query
        OFFSET 0
    ) AS w
)
