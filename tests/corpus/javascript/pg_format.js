const text = format('SELECT %I FROM %I WHERE data_type = %L', 'data_type', 'entity_facts', kind);
