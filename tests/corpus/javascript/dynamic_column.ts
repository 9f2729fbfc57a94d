const KIND_COLUMN = 'data_type';

export function kindFilter(kinds: string[]): { text: string; values: unknown[] } {
  return {
    text: `SELECT id FROM entity_facts WHERE ${KIND_COLUMN} = ANY($1)`,
    values: [kinds],
  };
}
