import { z } from 'zod';
import { db } from './db';

export const FactSchema = z.object({
  entity_id: z.number(),
  key: z.string(),
  value: z.string(),
  data_type: z.enum(['permanent', 'identity', 'observation', 'temporary']).default('observation'),
});

export async function postFact(body: unknown) {
  const f = FactSchema.parse(body);
  await db.query('INSERT INTO entity_facts (entity_id, key, value, data_type) VALUES ($1,$2,$3,$4)', [
    f.entity_id, f.key, f.value, f.data_type,
  ]);
}
