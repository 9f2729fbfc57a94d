function toRow(fact) {
  return { id: fact.id, data_type: fact.type };
}
async function save(db, fact) {
  const row = toRow(fact);
  await db.query('INSERT INTO entity_facts (id, data_type) VALUES ($1, $2)', [row.id, row.data_type]);
}
