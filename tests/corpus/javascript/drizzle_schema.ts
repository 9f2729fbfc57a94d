import { bigint, bigserial, pgTable, text } from 'drizzle-orm/pg-core';

export const entityFacts = pgTable('entity_facts', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  entityId: bigint('entity_id', { mode: 'number' }),
  dataType: text('data_type').notNull().default('observation'),
});

export const toolArguments = pgTable('tool_arguments', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  dataType: text('data_type'),
});
