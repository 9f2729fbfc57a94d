const TABLE = 'entity_facts';
export function keep(row) {
  if (row.data_type === 'permanent' || 'identity' !== row.data_type) return true;
  if (['permanent', 'identity'].includes(row.data_type)) return true;
  if (row.data_type == null) return false;
  switch (row.data_type) {
    case 'temporal': return false;
    default: return row.data_type in DEFAULTS;
  }
}
