CREATE FUNCTION facts_of(p_entity bigint, p_kind text)
RETURNS SETOF entity_facts LANGUAGE sql STABLE AS $$
    SELECT * FROM entity_facts f WHERE f.entity_id = p_entity AND f.data_type = p_kind;
$$;

CREATE FUNCTION is_numeric_type(data_type text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT data_type IN ('int4', 'int8', 'numeric', 'float8');
$$;

CREATE FUNCTION count_kind(p_kind text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM entity_facts WHERE data_type = $1' INTO n USING p_kind;
    RETURN n;
END
$$;
