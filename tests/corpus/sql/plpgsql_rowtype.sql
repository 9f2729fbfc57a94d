CREATE FUNCTION half_life(p_id bigint) RETURNS interval LANGUAGE plpgsql STABLE AS $body$
DECLARE
    f entity_facts%ROWTYPE;
    k entity_facts.data_type%TYPE;
BEGIN
    SELECT * INTO f FROM entity_facts WHERE id = p_id;
    k := f.data_type;
    RETURN CASE k WHEN 'temporary' THEN interval '1 day' ELSE interval '1 year' END;
END
$body$;
