-- Is every old value accounted for? One row a value (NULL included): how many rows there are, how many
-- have the axes of the map, how many have axes of their own whose way back the value is, and the rest.
-- Parameters: type_map: JSON. Slots: facts; verdict: migration/verdict.
-- Result: data_type, rows, mapped, own_axes, unclassified, wrong: bigint. Locks: none.
SELECT
    v.data_type,
    pg_catalog.count(*) AS rows,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'mapped') AS mapped,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'own axes') AS own_axes,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'unclassified') AS unclassified,
    pg_catalog.count(*) FILTER (WHERE v.verdict = 'wrong') AS wrong
FROM (SELECT f.data_type::text AS data_type, {verdict} AS verdict FROM {facts} AS f) AS v
GROUP BY v.data_type
ORDER BY rows DESC, v.data_type
