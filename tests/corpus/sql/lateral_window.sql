SELECT e.name, x.data_type
  FROM entities e
 CROSS JOIN LATERAL (
       SELECT f.data_type,
              row_number() OVER (PARTITION BY f.data_type ORDER BY f.confidence DESC) AS rn
         FROM entity_facts f
        WHERE f.entity_id = e.id) x
 WHERE x.rn <= 3;

SELECT f.key, (SELECT t.data_type FROM tool_arguments t WHERE t.key = f.key) AS arg_type
  FROM entity_facts f
 WHERE f.id IN (SELECT f.fact_id FROM fact_files f WHERE f.data_type = 'pdf')
   AND f.data_type <> 'temporary';
