-- Facts that say the same of the same: entity, key but for its case, value but for its case and its blanks.
-- Parameters: most: how many groups to show. Slots: said: report/said; least, greatest: the aggregates that give the first and the last key.
-- Result: a row a group, the largest first: copies; first, last: keys; value_hash: that of report/said; groups, facts: of all groups.
-- Locks: none.
-- Hashed in one pass: the aggregation holds the hashes of a group and two keys.
SELECT
    g.copies,
    g.first,
    g.last,
    g.value_hash,
    pg_catalog.count(*) OVER () AS groups,
    pg_catalog.sum(g.copies) OVER ()::int8 AS facts
FROM (
    SELECT pg_catalog.count(*) AS copies, {least} AS first, {greatest} AS last, s.value_hash
    FROM ({said}) AS s
    GROUP BY s.entity, s.name_hash, s.value_hash, s.more_hash
    HAVING pg_catalog.count(*) > 1::int8
) AS g
ORDER BY g.copies DESC, g.first
LIMIT %(most)s::int8
