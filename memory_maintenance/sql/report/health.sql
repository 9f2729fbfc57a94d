-- The state of the table as the server's statistics have it, its partitions summed.
-- Parameters: oid: the table. Result: a row. partitions: tables that hold rows, beside the table itself where it is
-- partitioned; live_rows, dead_rows; updated, hot_updated: rows, since statistics_since, NULL where they were never reset; last_vacuumed_at,
-- last_analyzed_at: by hand or by autovacuum, of the partition for which that is longest ago, NULL where it is not on record for one; table_bytes: with
-- TOAST; index_bytes; fillfactor: the least. Locks: ACCESS SHARE on the tables, for their sizes.
WITH RECURSIVE part AS (
    SELECT %(oid)s::oid AS oid
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits AS i JOIN part AS p ON p.oid = i.inhparent
)
SELECT
    count(*) FILTER (WHERE c.oid <> %(oid)s::oid)::int8 AS partitions,
    coalesce(sum(s.n_live_tup), 0)::int8 AS live_rows,
    coalesce(sum(s.n_dead_tup), 0)::int8 AS dead_rows,
    coalesce(sum(s.n_tup_upd), 0)::int8 AS updated,
    coalesce(sum(s.n_tup_hot_upd), 0)::int8 AS hot_updated,
    CASE
        WHEN bool_and(greatest(s.last_vacuum, s.last_autovacuum) IS NOT NULL)
            THEN min(greatest(s.last_vacuum, s.last_autovacuum))
    END AS last_vacuumed_at,
    CASE
        WHEN bool_and(greatest(s.last_analyze, s.last_autoanalyze) IS NOT NULL)
            THEN min(greatest(s.last_analyze, s.last_autoanalyze))
    END AS last_analyzed_at,
    coalesce(sum(pg_table_size(c.oid)), 0)::int8 AS table_bytes,
    coalesce(sum(pg_indexes_size(c.oid)), 0)::int8 AS index_bytes,
    coalesce(
        min((SELECT o.option_value::int4 FROM pg_options_to_table(c.reloptions) AS o WHERE o.option_name = 'fillfactor')),
        100
    ) AS fillfactor,
    (SELECT d.stats_reset FROM pg_stat_database AS d WHERE d.datname = current_database()) AS statistics_since
FROM part AS p
JOIN pg_class AS c ON c.oid = p.oid AND c.relkind <> 'p'
LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
