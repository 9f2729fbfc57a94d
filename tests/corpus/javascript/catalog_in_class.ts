export class FactStore {
  readonly table = 'entity_facts';
  async columns() {
    const { rows } = await this.db.query("SELECT data_type FROM information_schema.columns WHERE table_name = 'entity_facts'");
    return rows.map((r) => r.data_type);
  }
  toRow(fact) { return { data_type: fact.type }; }
}
