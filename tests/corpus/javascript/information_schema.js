async function columns(db) {
  const { rows } = await db.query(
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'entity_facts'");
  return rows.map(({ column_name, data_type }) => [column_name, data_type]);
}
