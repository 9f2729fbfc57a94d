it('reads', async () => {
  const { rows } = await db.query('SELECT data_type FROM entity_facts');
  expect(rows[0].data_type).toBe('permanent');
});
