DO $$
BEGIN
    UPDATE entity_facts SET data_type = 'observation' WHERE data_type IS NULL;
    UPDATE sensors SET data_type = 'float' WHERE data_type IS NULL;
END
$$;
