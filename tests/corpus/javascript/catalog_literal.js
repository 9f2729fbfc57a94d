export const exists = `SELECT 1 FROM information_schema.columns
  WHERE table_name = 'entity_facts' AND column_name = 'data_type'`;
