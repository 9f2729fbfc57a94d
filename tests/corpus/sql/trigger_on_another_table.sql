CREATE TRIGGER check_sensor BEFORE INSERT ON sensors
FOR EACH ROW EXECUTE FUNCTION check_sensor();
CREATE OR REPLACE FUNCTION check_sensor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.data_type = 'float' THEN
        INSERT INTO entity_facts (entity_id, key) VALUES (NEW.entity_id, NEW.data_type);
    END IF;
    RETURN NEW;
END
$$;
