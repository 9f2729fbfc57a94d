export async function load(pool) {
  const sql = [
    'SELECT f.id, f.data_type',
    'FROM entity_facts f',
    'WHERE f.data_type <> $1',
  ].join('\n');
  const { rows } = await pool.query(sql, ['temporary']);
  const kinds = new Map();
  for (const { id, data_type: kind } of rows) kinds.set(id, kind);
  return kinds;
}
