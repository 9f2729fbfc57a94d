MERGE INTO sensors AS s
USING (SELECT entity_id, data_type FROM entity_facts) AS f ON s.id = f.entity_id
WHEN MATCHED AND f.data_type = 'temporal' THEN DELETE
WHEN MATCHED THEN UPDATE SET data_type = f.data_type;
