CREATE FUNCTION retype() RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
    EXECUTE $q$ UPDATE entity_facts SET data_type = 'observation' $q$;
END
$body$;
