const SENSORS = 'SELECT id, data_type FROM sensors';
const FACTS = 'SELECT id, data_type FROM entity_facts';
export async function both(db) {
  const { rows: a } = await db.query(SENSORS);
  const { rows: b } = await db.query(FACTS);
  return [a[0].data_type, b[0].data_type];
}
