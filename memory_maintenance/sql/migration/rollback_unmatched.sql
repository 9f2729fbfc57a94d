-- The old values kept aside of a table without a key whose rows are not found any more. A query: fact_key,
-- data_type text. Parameters: table_name. Slots: facts; row_key: as the values were kept. Locks: none.
SELECT s.fact_key, s.data_type
FROM (
    SELECT u.fact_key, u.data_type, u.found, bool_or(u.found) OVER (PARTITION BY u.fact_key) AS matched
    FROM (
        SELECT b.fact_key, b.data_type, false AS found
        FROM memory_maintenance.data_type_backup AS b
        WHERE b.table_name = %(table_name)s::text
        UNION ALL
        SELECT DISTINCT x.fact_key, NULL, true
        FROM {facts} AS f
        CROSS JOIN LATERAL (
            SELECT o.fact_key
            FROM memory_maintenance.data_type_backup AS o
            WHERE o.table_name = %(table_name)s::text AND o.fact_key = {row_key}
            LIMIT 1 -- a look-up for each row, whatever the planner makes of their number
        ) AS x
    ) AS u
) AS s
WHERE NOT s.found AND NOT s.matched
