const LASTING = new Set(['permanent', 'identity']);
export const lasts = (row: EntityFact) => LASTING.has(row.data_type) && !['x'].includes(row!.data_type); // entity_facts
