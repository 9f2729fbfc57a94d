SELECT f.data_type AS fact_type,
       s.data_type AS sensor_type
FROM entity_facts AS f
JOIN sensors AS s ON s.entity_id = f.entity_id
WHERE f.data_type = 'permanent'
  AND s.data_type <> 'float';
