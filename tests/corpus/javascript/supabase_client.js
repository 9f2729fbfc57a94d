import { createClient } from '@supabase/supabase-js';

const sb = createClient(process.env.SB_URL, process.env.SB_KEY);

export const identities = () =>
  sb.from('entity_facts').select('id, key, data_type').eq('data_type', 'identity');

export async function save(fact) {
  const { error } = await sb.from('entity_facts').insert({
    entity_id: fact.entityId,
    key: fact.key,
    value: fact.value,
    data_type: fact.kind ?? 'observation',
  });
  if (error) throw error;
}

// data_type of a sheet column is a spreadsheet type
export const sheetColumns = () => sb.from('sheet_columns').select('name, data_type');
