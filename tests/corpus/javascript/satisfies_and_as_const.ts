const COLUMNS = ['id', 'key', 'data_type'] as const;
type Column = (typeof COLUMNS)[number];
interface Fact { id: number; data_type: string }
type Kind = Fact['data_type'];
export const sql = `SELECT ${COLUMNS.join(', ')} FROM entity_facts`;
