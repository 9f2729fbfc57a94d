import { Generated, Kysely } from 'kysely';

interface EntityFactsTable {
  id: Generated<number>;
  key: string;
  data_type: 'permanent' | 'identity' | 'observation' | 'temporary';
}

interface Database {
  entity_facts: EntityFactsTable;
}

export const permanent = (db: Kysely<Database>) =>
  db
    .selectFrom('entity_facts')
    .select(['id', 'data_type'])
    .where('data_type', '=', 'permanent')
    .execute();

export const demote = (db: Kysely<Database>, id: number) =>
  db.updateTable('entity_facts').set({ data_type: 'observation' }).where('id', '=', id).execute();
