-- What facts say, as hashes: of the key but for its case, of the value but for its case and its blanks. A fragment.
-- Slots: facts; key; entity: the column entity_id; name: the column key as text; value: as text.
-- Result: key; entity; name_hash; value_hash, more_hash: 128 bits of the value, however long that is. Facts without a value are left
-- out. Locks: none.
SELECT
    s.key,
    s.entity,
    pg_catalog.hashtextextended(s.name, 0::int8) AS name_hash,
    pg_catalog.hashtextextended(s.value, 0::int8) AS value_hash,
    pg_catalog.hashtextextended(s.value, 1::int8) AS more_hash
FROM (
    SELECT
        f.{key} AS key,
        {entity} AS entity,
        pg_catalog.lower({name}) AS name,
        pg_catalog.btrim(
            pg_catalog.regexp_replace(pg_catalog.lower({value}), '\s+'::text, ' '::text, 'g'::text)
        ) AS value
    FROM {facts} AS f
    OFFSET 0
) AS s
WHERE s.value IS NOT NULL
