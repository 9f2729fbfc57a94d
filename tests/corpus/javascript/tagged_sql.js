import postgres from 'postgres';

const sql = postgres();

export const upsert = (f) => sql`
  insert into entity_facts ${sql(f, 'entity_id', 'key', 'value', 'data_type')}
  on conflict (entity_id, key) do update set data_type = excluded.data_type
`;

export const byKind = (kinds) => sql`
  select id from public.entity_facts where data_type in ${sql(kinds)}
`;
