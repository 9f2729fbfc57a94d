CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE 'SELECT count(*) FROM ' || quote_ident('entity_facts') || ' WHERE data_type = ' || quote_literal('identity') INTO n;
  EXECUTE format(
    'UPDATE %I.entity_facts SET data_type = %L', 'public', 'permanent');
END $$;
