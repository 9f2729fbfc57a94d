CREATE FUNCTION add_fact(entity int, data_type text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO entity_facts (entity_id, data_type)
    VALUES (entity, add_fact.data_type);
$$;
