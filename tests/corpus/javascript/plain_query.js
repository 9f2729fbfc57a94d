async function load(db, id) {
  return db.query('SELECT id, data_type FROM entity_facts WHERE data_type = \'permanent\' AND id = $1', [id]);
}
