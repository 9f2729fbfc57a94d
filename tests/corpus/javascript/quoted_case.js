const q = 'SELECT "Data_Type", "data_type" FROM "entity_facts"';
