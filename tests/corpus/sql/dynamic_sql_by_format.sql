CREATE FUNCTION purge(relation regclass, kind text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('DELETE FROM %s WHERE data_type = $1', relation) USING kind;
END
$$;
SELECT purge('entity_facts', 'temporal');
