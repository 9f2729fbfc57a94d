const q = `SELECT id, -- data_type
  /* data_type */ data_type FROM entity_facts`;
