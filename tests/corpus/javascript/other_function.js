async function sensors(db) {
  const { rows } = await db.query('SELECT id, data_type FROM sensors');
  return rows.filter((row) => row.data_type === 'permanent');
}
async function facts(db) {
  const { rows } = await db.query('SELECT id, data_type FROM entity_facts');
  return rows.filter((row) => row['data_type'] === 'permanent');
}
