const rows = await sql<Row[]>`SELECT data_type FROM entity_facts`;
