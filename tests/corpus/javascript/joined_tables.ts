export async function pairs(db: Pool) {
  return db.query(`
    SELECT f.data_type, s.data_type AS other
      FROM entity_facts AS f
      JOIN sensors AS s USING (entity_id)
  `);
}
