CREATE FUNCTION set_kind(p_table regclass, p_id bigint, p_kind text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %s SET data_type = $1 WHERE id = $2', p_table) USING p_kind, p_id;
END
$$;
