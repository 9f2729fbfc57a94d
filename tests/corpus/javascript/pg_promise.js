db.any('SELECT data_type FROM entity_facts WHERE data_type = ${data_type} AND id = $<id>', { data_type: 'x' });
