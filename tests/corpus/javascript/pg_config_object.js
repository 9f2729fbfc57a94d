export async function histogram(client) {
  const res = await client.query({
    name: 'kind-histogram',
    text: 'SELECT data_type, count(*)::int AS n FROM entity_facts GROUP BY data_type',
  });
  const out = {};
  for (const { data_type, n } of res.rows) {
    out[data_type] = n;
  }
  return out;
}
