const TABLE = 'sensors';
// Facts are in entity_facts, their data_type is another matter.
export const query = `SELECT id, data_type FROM ${TABLE} WHERE data_type = $1`;
