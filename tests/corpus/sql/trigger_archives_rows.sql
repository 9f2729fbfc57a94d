CREATE FUNCTION archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO entity_facts_archive
    SELECT OLD.*;
    EXECUTE format('UPDATE %I SET data_type = NULL', TG_TABLE_NAME);
    RETURN OLD;
END
$$;
CREATE TRIGGER archive AFTER DELETE ON entity_facts FOR EACH ROW EXECUTE FUNCTION archive();
