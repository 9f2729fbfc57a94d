CREATE FUNCTION keep_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.data_type IS NULL THEN
        NEW.data_type := OLD.data_type;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER keep_type BEFORE UPDATE ON entity_facts
FOR EACH ROW EXECUTE FUNCTION keep_type();
