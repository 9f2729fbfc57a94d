const TABLE = 'entity_facts';
const SCHEMA = 'public';

export function byType(pool, type) {
  return pool.query(`SELECT id, f.data_type FROM ${SCHEMA}.${TABLE} f WHERE f.data_type = ${type}`);
}
