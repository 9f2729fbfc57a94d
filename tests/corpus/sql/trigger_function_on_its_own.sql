CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE entity_facts SET updated_at = now() WHERE id = NEW.id;
    NEW.data_type = 'observation';
    RETURN NEW;
END
$$;
