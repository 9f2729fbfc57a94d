const a = await supabase.from('entity_facts').select('id, data_type').eq('data_type', 'permanent');
const b = await supabase.from('entity_facts').insert({ data_type: 'mood' });
const c = await supabase.from('sensors').select('id, data_type').neq('data_type', 'x');
