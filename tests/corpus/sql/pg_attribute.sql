SELECT attname FROM pg_attribute
WHERE attrelid = 'entity_facts'::regclass AND attname = 'data_type' AND NOT attisdropped;
