knex.raw('SELECT data_type FROM ?? WHERE data_type = ? AND id = :id', ['entity_facts', 'x']);
knex.raw("SELECT data_type FROM entity_facts WHERE data ? 'x'");
