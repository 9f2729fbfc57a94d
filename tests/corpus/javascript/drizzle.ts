export const facts = pgTable('entity_facts', {
  id: serial('id'),
  data_type: varchar('data_type', { length: 20 }),
});
export const archive = pgTable('entity_facts_archive', { dataType: varchar('data_type') });
export const sensors = pgTable('sensors', { data_type: varchar('data_type') });
export const q = (db) => db.select({ kind: facts.data_type }).from(facts).where(eq(facts.data_type, 'permanent'));
export const r = (db) => db.select().from(sensors).where(eq(sensors.data_type, 'x'));
export const s = (db) => db.insert(facts).values({ data_type: 'mood' });
