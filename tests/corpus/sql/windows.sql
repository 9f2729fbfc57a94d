SELECT id,
       rank() OVER (PARTITION BY data_type ORDER BY confidence),
       sum(confidence) OVER w
FROM entity_facts
WINDOW w AS (PARTITION BY f_key, data_type);
