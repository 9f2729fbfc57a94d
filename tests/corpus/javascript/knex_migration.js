exports.up = async (knex) => {
  await knex.schema.alterTable('entity_facts', (t) => {
    t.dropColumn('data_type');
  });
  await knex.schema.createTable('import_columns', (t) => {
    t.increments('id');
    t.string('data_type', 16);
  });
};

exports.down = (knex) =>
  knex.schema.alterTable('entity_facts', (t) => {
    t.text('data_type').defaultTo('observation');
  });
