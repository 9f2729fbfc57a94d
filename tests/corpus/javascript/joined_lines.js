const lines = [
  'UPDATE entity_facts',
  "   SET data_type = 'observation'",
  ' WHERE data_type IS NULL',
].join('\n');
