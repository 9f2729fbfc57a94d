export async function both(db) {
  const sensors = await db.query('SELECT * FROM sensors');
  const facts = await db.query('SELECT * FROM entity_facts');
  return [sensors.rows[0].data_type, facts.rows[0].data_type];
}
