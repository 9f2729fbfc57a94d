DO LANGUAGE plpython3u $$
plpy.execute("UPDATE entity_facts SET data_type = NULL")
$$;
