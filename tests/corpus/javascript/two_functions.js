async function loadFacts(db, id) {
  const rows = await db.any('SELECT * FROM entity_facts WHERE entity_id = $1', [id]);
  return rows.filter((r) => r.data_type !== 'temporary');
}

async function loadSensorColumns(db) {
  const cols = await db.any('SELECT name, data_type FROM sensor_columns');
  return cols.filter((c) => c.data_type === 'float');
}

module.exports = { loadFacts, loadSensorColumns };
