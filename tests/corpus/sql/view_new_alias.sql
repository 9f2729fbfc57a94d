-- keeps data_type for old dashboards
CREATE VIEW facts_compat AS
SELECT id, entity_id, key, value,
       CASE durability WHEN 'long' THEN 'permanent' ELSE 'observation' END AS data_type
  FROM entity_facts;
