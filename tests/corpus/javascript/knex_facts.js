module.exports = (knex) => ({
  durable: (entityId) =>
    knex('entity_facts').where({ entity_id: entityId, data_type: 'permanent' }).select('id', 'value'),

  reclassify: (id, kind) => knex('entity_facts').where({ id }).update({ data_type: kind }),

  args: (toolId) =>
    knex('tool_arguments').where('tool_id', toolId).andWhere('data_type', 'number').select('name'),

  joined: () =>
    knex('entity_facts as f')
      .join('tool_arguments as a', 'a.key', 'f.key')
      .select('f.data_type', 'a.data_type'),
});
