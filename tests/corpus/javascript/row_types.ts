import type { Pool } from 'pg';

export interface FactRow {
  id: string;
  key: string;
  data_type: string | null;
}

export async function archived(pool: Pool): Promise<FactRow[]> {
  const res = await pool.query<FactRow>(
    'SELECT id, key, data_type FROM entity_facts_archive ORDER BY archived_at DESC LIMIT 100',
  );
  return res.rows.filter((row) => row['data_type'] != null);
}
