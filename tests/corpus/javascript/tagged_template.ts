import { sql } from './db';

export async function permanent(onlyKnown: boolean) {
  const rows = await sql`
    SELECT id, data_type
      FROM entity_facts
     WHERE true ${onlyKnown ? sql`AND data_type IS NOT NULL` : sql``}
  `;
  return rows.map((row) => row.data_type);
}
