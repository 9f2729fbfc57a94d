CREATE OR REPLACE FUNCTION expire_facts(p_limit int DEFAULT 100) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    r record;
    n int := 0;
BEGIN
    FOR r IN SELECT id, data_type FROM entity_facts ORDER BY updated_at LIMIT p_limit LOOP
        IF r.data_type = 'temporary' THEN
            DELETE FROM entity_facts WHERE id = r.id;
            n := n + 1;
        END IF;
    END LOOP;
    RETURN n;
END;
$$;
