function search(db, type) {
  let text = 'SELECT id FROM entity_facts WHERE true';
  const values = [];
  if (type) {
    text += ' AND data_type = $1';
    values.push(type);
  }
  return db.query(text, values);
}
