-- How many facts nobody has scored (spec 4).
-- Parameters: those of context/told; include_private. Slots: facts; told: context/told. Result: one row: shown: those that may be sent;
-- held_back: the others. Locks: none.
SELECT
    pg_catalog.count(*) FILTER (WHERE %(include_private)s OR {told}) AS shown,
    pg_catalog.count(*) FILTER (WHERE NOT (%(include_private)s OR {told})) AS held_back
FROM {facts} AS f
WHERE f.importance_scored_at IS NULL
