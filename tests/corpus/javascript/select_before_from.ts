export const ours = () => select('id', 'data_type').from('entity_facts').where('data_type', 'x');
export const theirs = () => select('id', 'data_type').from('sensor_channels').where('id', 1);
export const unknown = () => db.select('id', 'data_type').where('id', 1);
