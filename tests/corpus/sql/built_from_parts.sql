DO $$
DECLARE statement text := 'UPDATE entity_facts SET data_type = NULL';
BEGIN
    EXECUTE statement;
    EXECUTE 'UPDATE entity_facts SET ' || 'data_type' || ' = NULL';
    EXECUTE 'SELECT data_type FROM ' || quote_ident('sensors');
END
$$;
