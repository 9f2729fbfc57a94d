CREATE OR REPLACE VIEW active_facts AS
SELECT f.id,
       f.entity_id,
       f.data_type AS data_type,
       f.value
  FROM entity_facts f
 WHERE f.expires_at IS NULL OR f.expires_at > now();
