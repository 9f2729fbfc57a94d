-- Puts data_type back in a table without a key, in the rows that have an old value kept aside: all at once, since equal
-- rows share these. May be repeated: it goes on where it was.
-- Parameters: table_name; type_map: JSON. Slots: facts; pairs: migration/rollback_pairs.
-- Result: restored, by_way_back bigint: rows written. Locks: the rows written.
WITH {pairs},
filling AS MATERIALIZED (
    SELECT pg_catalog.set_config('memory_maintenance.filling', 'on', true) AS filling
),
written AS (
    UPDATE {facts} AS t
    SET data_type = c.data_type
    FROM chosen AS c
    CROSS JOIN filling AS w
    WHERE w.filling = 'on' -- set before the first row is written, and read by the table's trigger
        AND t.ctid = c.place AND t.data_type IS NULL AND c.data_type IS NOT NULL
    RETURNING c.data_type <> c.way_back AS restored
)
SELECT
    pg_catalog.count(*) FILTER (WHERE w.restored) AS restored,
    pg_catalog.count(*) FILTER (WHERE NOT w.restored) AS by_way_back
FROM written AS w
