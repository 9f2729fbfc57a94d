exports.up = (pgm) => {
  pgm.addColumns('entity_facts', { data_type: { type: 'varchar(20)' } });
  pgm.dropColumn('sensors', 'data_type');
  pgm.dropColumns('entity_facts', ['data_type']);
};
