export async function save(sql, fact) {
  await sql`INSERT INTO entity_facts ${sql(fact, 'entity_id', 'data_type')}`;
  await sql`UPDATE entity_facts SET ${sql(fact, 'data_type')} WHERE id = ${fact.id}`;
  await sql`INSERT INTO sensors ${sql(fact, 'data_type')}`;
}
