CREATE FUNCTION permanent_facts() RETURNS bigint LANGUAGE sql
BEGIN ATOMIC
    SELECT count(*) FROM entity_facts WHERE data_type = 'permanent';
END;
