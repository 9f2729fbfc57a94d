SELECT format('UPDATE %I SET data_type = NULL', relname)
FROM pg_class WHERE relname LIKE 'agent%' \gexec
