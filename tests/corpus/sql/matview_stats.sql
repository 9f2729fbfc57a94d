CREATE MATERIALIZED VIEW fact_kind_stats AS
SELECT data_type, count(*) AS n, avg(confidence) AS conf
  FROM entity_facts
 GROUP BY data_type
WITH NO DATA;

CREATE UNIQUE INDEX ON fact_kind_stats (data_type);
