CREATE FUNCTION report() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kind entity_facts.data_type%TYPE;
    fact entity_facts%ROWTYPE;
    sensor record;
BEGIN
    SELECT f.data_type INTO kind FROM entity_facts f LIMIT 1;
    FOR fact IN SELECT * FROM entity_facts LOOP
        RAISE NOTICE 'it is %', fact.data_type;
    END LOOP;
    FOR sensor IN SELECT id, data_type FROM sensors LOOP
        RAISE NOTICE 'it is %', sensor.data_type;
    END LOOP;
END
$$;
