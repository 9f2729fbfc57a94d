const facts = (pool, where) => pool.query('SELECT * FROM entity_facts WHERE ' + where);

export async function both(pool) {
  const sensors = await pool.query('SELECT data_type FROM sensors');
  return [sensors, await facts(pool, "data_type = 'permanent'")];
}
export const joined = () => Query.from('sensors').join('entity_facts').on('id').select('data_type');
