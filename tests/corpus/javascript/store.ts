export const COLUMNS = ['id', 'key', 'data_type'] as const;
export interface Row { id: number; data_type: 'permanent' | 'observation' }
const toFact = (row: any): Fact => ({ id: row.id, type: row.data_type ?? 'observation' });
export async function facts(pool: Pool, options: { data_type?: string } = {}) {
  const conditions = ['entity_id = $1'];
  if (options.data_type) conditions.push(`data_type = $${conditions.length + 1}`);
  const { rows } = await pool.query<Row>(
    `SELECT ${COLUMNS.join(', ')} FROM entity_facts WHERE ${conditions.join(' AND ')}`);
  return rows.map(toFact);
}
export async function save(pool: Pool, fact: Fact) {
  const { key, data_type = 'observation' } = fact;
  await pool.query(
    `INSERT INTO entity_facts (key, data_type) VALUES ($1, $2)
     ON CONFLICT (key) DO UPDATE SET data_type = EXCLUDED.data_type`, [key, data_type]);
}
