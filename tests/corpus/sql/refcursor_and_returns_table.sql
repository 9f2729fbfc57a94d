CREATE FUNCTION kinds() RETURNS TABLE (id bigint, data_type text)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  SELECT f.id, f.data_type FROM entity_facts f;
END $$;
