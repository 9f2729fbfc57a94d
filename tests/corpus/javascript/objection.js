class Fact extends Model {
  static get tableName() { return 'entity_facts'; }
}
const a = () => Fact.query().where('data_type', 'permanent').patch({ data_type: 'identity' });
