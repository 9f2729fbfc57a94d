SELECT m.payload->>'data_type' AS mime
  FROM messages m
 WHERE m.payload ? 'data_type';

SELECT jsonb_build_object('id', f.id, 'data_type', f.data_type)
  FROM entity_facts f;
