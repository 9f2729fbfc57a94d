async function has(db) {
  const { rows } = await db.query("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'entity_facts'");
  return rows.some((r) => r.column_name === 'data_type' && r.data_type === 'text');
}
const a = await knex.schema.hasColumn('entity_facts', 'data_type');
const b = await knex.schema.hasColumn('sensors', 'data_type');
