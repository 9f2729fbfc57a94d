CREATE FUNCTION typed() RETURNS TABLE (id bigint, data_type text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT f.id, f.data_type FROM entity_facts AS f;
    RETURN QUERY EXECUTE 'SELECT id, data_type FROM entity_facts_archive';
END
$$;
