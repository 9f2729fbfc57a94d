DDL = '''
CREATE OR REPLACE FUNCTION kind_of(bigint) RETURNS text LANGUAGE plpgsql AS $fn$
DECLARE k text; c text;
BEGIN
  SELECT data_type INTO k FROM entity_facts WHERE id = $1;
  SELECT data_type INTO c FROM sensor_channels WHERE id = $1;
  RETURN k || c;
END $fn$;
'''
