exports.up = (knex) => knex.schema.alterTable('entity_facts', (t) => t.dropColumn('data_type'));
