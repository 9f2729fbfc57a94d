-- The next facts to be scored, the newest keys first.
-- Parameters: those of context/told; before: a key that all of them are below, NULL for none; include_private; rows;
-- longest, longest_name: characters of value and key. Slots: facts; key; key_type; name: the column key as text;
-- value: as text; told: context/told; digest: scoring/digest.
-- Result: key, digest; name, value, category, durability: what the model is told; shortened. Locks: none.
SELECT
    f.{key} AS key,
    {digest} AS digest,
    pg_catalog."left"({name}, %(longest_name)s::int4) AS name,
    pg_catalog."left"({value}, %(longest)s::int4) AS value,
    f.category::text AS category,
    f.durability::text AS durability,
    coalesce(pg_catalog.length({value}) > %(longest)s::int4, false) AS shortened
FROM {facts} AS f
WHERE f.importance_scored_at IS NULL
    AND (%(before)s::{key_type} IS NULL OR f.{key} < %(before)s::{key_type})
    AND (%(include_private)s OR {told})
ORDER BY f.{key} DESC
LIMIT %(rows)s::int8
