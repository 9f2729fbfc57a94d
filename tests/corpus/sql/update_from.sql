UPDATE memory_chunks c
   SET data_type = f.data_type
  FROM entity_facts f
 WHERE f.chunk_id = c.id;

UPDATE entity_facts
   SET data_type = c.data_type
  FROM memory_chunks c
 WHERE c.id = chunk_id AND entity_facts.data_type IS NULL;
