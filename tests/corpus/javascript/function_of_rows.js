const TABLE = 'entity_facts';

const kindOf = (row) => row.data_type;

export async function kinds(pool) {
  const result = await pool.query('SELECT data_type FROM ' + TABLE + ' WHERE id = ANY($1)', [[1]]);
  return result.rows.map(kindOf);
}
