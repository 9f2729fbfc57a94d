async function compare(db) {
  const facts = await db.query('SELECT id, data_type FROM entity_facts');
  const sensors = await db.query('SELECT id, data_type FROM sensors');
  for (const fact of facts.rows) {
    for (const sensor of sensors.rows) {
      if (fact.data_type === sensor.data_type) return true;
    }
  }
  return false;
}
