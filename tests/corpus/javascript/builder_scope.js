async function move(knex) {
  const rows = await knex('entity_facts').select('*');
  await knex('sensors').insert({ data_type: 'x' });
  return rows.map((row) => row.data_type);
}
