async function load(db) {
  const { rows } = await db.query(`SELECT data_type FROM entity_facts`);
  if (rows[0].data_type === 'x') {
    return (
