DO $$
DECLARE
    data_type text;
BEGIN
    SELECT f.data_type INTO data_type FROM entity_facts AS f WHERE f.id = 1;
    RAISE NOTICE '%', data_type;
    UPDATE sensors AS s SET kind = data_type WHERE s.id = 1;
END
$$;
