await db.selectFrom('entity_facts').select(['id', 'data_type']).where('data_type', '=', 'x').execute();
await db.insertInto('sensors').values({ data_type: 'x' }).execute();
