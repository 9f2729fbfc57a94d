CREATE FUNCTION lower_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.data_type := lower(NEW.data_type);
    RETURN NEW;
END
$$;
CREATE TRIGGER lower_type BEFORE INSERT ON sensors FOR EACH ROW EXECUTE FUNCTION lower_type();
CREATE TRIGGER lower_type BEFORE INSERT ON entity_facts FOR EACH ROW EXECUTE FUNCTION lower_type();
