CREATE FUNCTION facts_kind_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.data_type IS DISTINCT FROM OLD.data_type THEN
        INSERT INTO fact_audit (fact_id, old_kind, new_kind)
        VALUES (NEW.id, OLD.data_type, NEW.data_type);
    END IF;
    RETURN NEW;
END;
$$;

CREATE TRIGGER facts_kind_audit
    AFTER UPDATE OF data_type ON entity_facts
    FOR EACH ROW
    WHEN (OLD.data_type = 'permanent')
    EXECUTE FUNCTION facts_kind_audit();
