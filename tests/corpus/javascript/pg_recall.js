const { Pool } = require('pg');
const pool = new Pool();

async function recall(entityId, limit = 20) {
  const { rows } = await pool.query(
    `SELECT id, key, value, data_type
       FROM entity_facts
      WHERE entity_id = $1
      ORDER BY confidence DESC
      LIMIT ${Number(limit)}`,
    [entityId],
  );
  return rows.map((r) => ({ id: r.id, key: r.key, kind: r.data_type }));
}

module.exports = { recall };
