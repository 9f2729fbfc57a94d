const COLUMN = 'data_type';
export const list = (db) => db.query(`SELECT ${COLUMN} FROM entity_facts`);
