DO $$
BEGIN
    EXECUTE 'UPDATE sensors SET data_type = NULL';
    EXECUTE format('SELECT count(*) FROM sensors WHERE data_type = %L', 'float');
END
$$;
