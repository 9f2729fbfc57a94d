SELECT f.key, f.data_type, p.data_type
  FROM entity_facts f
  LEFT JOIN plugin_fields p ON p.key = f.key
 WHERE p.data_type IS DISTINCT FROM 'secret'
 ORDER BY f.data_type, p.key;

SELECT key
  FROM entity_facts JOIN entity_facts_archive USING (key, data_type);
