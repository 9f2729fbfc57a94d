const q = `
  WITH gone AS (DELETE FROM entity_facts WHERE id = $1 RETURNING *)
  SELECT data_type FROM gone`;
