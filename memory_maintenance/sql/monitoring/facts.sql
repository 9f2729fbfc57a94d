-- How many facts there are of each durability.
-- Parameters: durabilities: those there are. Slots: facts. Result: durability: one of them, unclassified (NULL) or
-- unknown (anything else); facts. Locks: none.
SELECT
    CASE
        WHEN f.durability IS NULL THEN 'unclassified'::text
        WHEN f.durability::text = ANY (%(durabilities)s::text[]) THEN f.durability::text
        ELSE 'unknown'::text
    END AS durability,
    pg_catalog.count(*) AS facts
FROM {facts} AS f
GROUP BY 1
