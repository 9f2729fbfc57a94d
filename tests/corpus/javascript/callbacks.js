async function run(pool) {
  const rows = await pool.transaction(async (client) => {
    const result = await client.query('SELECT data_type FROM entity_facts');
    return result.rows;
  });
  return rows.map((r) => r.data_type);
}
