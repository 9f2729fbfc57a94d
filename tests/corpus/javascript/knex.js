exports.run = async (knex) => {
  await knex('entity_facts').where({ data_type: 'permanent' }).select('id', 'data_type');
  await knex('entity_facts').where('data_type', 'permanent').update({ data_type: 'identity' });
  await knex.select('f.data_type', 's.data_type').from('entity_facts as f').join('sensors as s', 's.id', 'f.id');
  await knex('sensors').where('data_type', 'x').insert({ data_type: 'y' });
  await knex('entity_facts').whereRaw("data_type = ?", ['x']);
};
