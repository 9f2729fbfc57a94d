-- How many rows rollback_fill_pairs and rollback_fill_places would write.
-- Parameters: table_name; type_map: JSON. Slots: facts, row_key; pairs: migration/rollback_pairs; held: the
-- column on f, or NULL where it isn't back yet. Result: restored, by_way_back bigint. Locks: none.
WITH {pairs}
SELECT
    pg_catalog.count(*) FILTER (WHERE c.data_type <> c.way_back) AS restored,
    pg_catalog.count(*) FILTER (WHERE c.data_type = c.way_back) + (
        SELECT pg_catalog.count(*)
        FROM {facts} AS f
        LEFT JOIN LATERAL (
            SELECT x.fact_key
            FROM memory_maintenance.data_type_backup AS x
            WHERE x.table_name = %(table_name)s::text AND x.fact_key = {row_key}
            LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
        ) AS b ON true
        WHERE {held} IS NULL AND b.fact_key IS NULL
    ) AS by_way_back
FROM chosen AS c
