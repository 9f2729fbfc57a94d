const table = 'entity_facts';

function facts(db) {
  return db.query(`SELECT data_type FROM ${table}`);
}

function sensors(db) {
  const table = 'sensors';
  return db.query(`SELECT data_type FROM ${table}`);
}
