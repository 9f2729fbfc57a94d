CREATE FUNCTION walk() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    facts CURSOR FOR SELECT id, data_type FROM entity_facts;
    sensors CURSOR (least int) FOR SELECT id, data_type FROM sensors WHERE id > least;
BEGIN
    FOR fact IN facts LOOP
        PERFORM pg_notify('facts', fact.data_type);
    END LOOP;
    FOR sensor IN sensors(7) LOOP
        PERFORM pg_notify('sensors', sensor.data_type);
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    PERFORM 1 FROM entity_facts WHERE data_type = SQLERRM;
END
$$;
