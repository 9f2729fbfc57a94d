export const ours = () =>
  db.with('x', db.select('data_type').from('entity_facts')).select('data_type').from('x');
export const theirs = () =>
  db.with('x', db.select('data_type').from('sensors')).select('data_type').from('x');
