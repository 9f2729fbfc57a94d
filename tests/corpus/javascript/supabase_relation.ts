const a = await db.from('entities').select('id, data_type, facts:entity_facts!inner(id, data_type)');
const b = await db.from('entity_facts').select('data_type, sensors(id, readings(data_type))');
