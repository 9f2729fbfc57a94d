-- Facts that say the same of the same: entity, key but for its case, value but for its case and its blanks.
-- Parameters: most: how many groups to show. Slots: facts; key; entity: the column entity_id; name: the column key as text; value: as
-- text; least, greatest: the aggregates that give the first and the last key.
-- Result: a row a group, the largest first: copies; first, last: keys; groups, facts: of all groups. Locks: none.
-- Hashed in one pass: the table of the aggregation holds 128 bits of a value, however long that is.
SELECT
    g.copies,
    g.first,
    g.last,
    pg_catalog.count(*) OVER () AS groups,
    pg_catalog.sum(g.copies) OVER ()::int8 AS facts
FROM (
    SELECT
        pg_catalog.count(*) AS copies,
        {least} AS first,
        {greatest} AS last
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
    GROUP BY
        s.entity,
        pg_catalog.hashtextextended(s.name, 0::int8),
        pg_catalog.hashtextextended(s.value, 0::int8),
        pg_catalog.hashtextextended(s.value, 1::int8)
    HAVING pg_catalog.count(*) > 1::int8
) AS g
ORDER BY g.copies DESC, g.first
LIMIT %(most)s::int8
