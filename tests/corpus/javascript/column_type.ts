interface ColumnInfo { column_name: string; data_type: string }
export async function columns(db: Pool, table = 'entity_facts') {
  const result = await db.query<ColumnInfo>(
    `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1`, [table]);
  return result.rows.filter((c) => c.data_type === 'text').map(describe);
}
function describe(column: ColumnInfo) { return `${column.column_name} ${column.data_type}`; }
