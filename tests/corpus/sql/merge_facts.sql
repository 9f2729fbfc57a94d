MERGE INTO entity_facts AS tgt
USING incoming_facts AS src
   ON tgt.entity_id = src.entity_id AND tgt.key = src.key
 WHEN MATCHED AND tgt.data_type <> 'permanent' THEN
      UPDATE SET value = src.value, data_type = src.data_type
 WHEN NOT MATCHED THEN
      INSERT (entity_id, key, value, data_type)
      VALUES (src.entity_id, src.key, src.value, src.data_type);
