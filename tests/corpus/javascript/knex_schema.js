exports.up = (knex) => knex.schema.createTable('entity_facts', (table) => {
  table.increments('id');
  table.string('data_type', 20).defaultTo('observation');
}).createTable('sensors', (table) => {
  table.string('data_type');
});
