-- How many rows rollback_fill_pairs and rollback_fill_places would write.
-- Parameters: table_name; type_map: JSON. Slots: facts, row_key; pairs: migration/rollback_pairs; held: the
-- column on f, or NULL where it isn't back yet. Result: restored, by_way_back bigint. Locks: none.
WITH {pairs}
SELECT
    pg_catalog.count(*) FILTER (WHERE c.data_type <> c.way_back) AS restored,
    pg_catalog.count(*) FILTER (WHERE c.data_type = c.way_back) + (
        SELECT pg_catalog.count(*) FROM {facts} AS f
        WHERE {held} IS NULL AND {row_key} NOT IN (SELECT k.digest FROM kept AS k)
    ) AS by_way_back
FROM chosen AS c
