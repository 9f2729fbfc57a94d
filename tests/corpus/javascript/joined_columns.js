const COLUMNS = ['id', 'value', 'data_type'];
export const list = (db) => db.query(`SELECT ${COLUMNS.join(', ')} FROM entity_facts`);
