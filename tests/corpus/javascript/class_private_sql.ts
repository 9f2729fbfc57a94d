export class Facts {
  readonly #sql = 'SELECT id, data_type FROM entity_facts WHERE id = $1';

  async kind(id: number): Promise<string> {
    const [row] = await this.db.query(this.#sql, [id]);
    return row.data_type;
  }
}
