const TABLE = 'entity_facts';

export async function note(pool, fact) {
  await pool.query('INSERT INTO audit_log (data_type) VALUES ($1)', [fact.data_type]);
}

export async function mirror(pool, row) {
  await pool.query('UPDATE sensors SET data_type = $1', [row.kind]);
  const { data_type: kind } = await loadFact(pool);
  const { data_type } = row;
  for (const fact of await loadFacts(pool)) console.log(fact.data_type);
  return kind;
}
