export async function tidy(pool) {
  const row = (await pool.query('SELECT * FROM entity_facts LIMIT 1')).rows[0];
  if (row?.data_type === 'permanent') return row;
  row.data_type ??= 'observation';
  if ('data_type' in row) {
    delete row.data_type;
  }
  return row;
}
