-- How many rows rollback_fill would write. Parameters: table_name; type_map: JSON. Slots: facts, row_key;
-- data_type: migration/rollback_data_type; held: the column on f, or NULL where it isn't back yet.
-- Result: restored, by_way_back bigint. Locks: none.
SELECT
    pg_catalog.count(*) FILTER (WHERE v.data_type <> v.way_back) AS restored,
    pg_catalog.count(*) FILTER (WHERE v.data_type = v.way_back) AS by_way_back
FROM (
    SELECT
        {data_type} AS data_type,
        memory_maintenance.data_type_of(f.durability::text, f.category::text) AS way_back
    FROM {facts} AS f
    LEFT JOIN LATERAL (
        SELECT x.fact_key, x.data_type
        FROM memory_maintenance.data_type_backup AS x
        WHERE x.table_name = %(table_name)s::text AND x.fact_key = {row_key} AND x.place = 1::int4
        LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
    ) AS b ON true
    WHERE {held} IS NULL
) AS v
