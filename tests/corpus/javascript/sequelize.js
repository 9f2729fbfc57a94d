const Fact = sequelize.define('entity_facts', { data_type: DataTypes.STRING });
const Sensor = sequelize.define('sensors', { data_type: DataTypes.STRING });
class Old extends Model {}
Old.init({ data_type: { type: DataTypes.STRING } }, { sequelize, tableName: 'entity_facts_archive' });
const find = () => Fact.findAll({ where: { data_type: 'permanent' }, attributes: ['data_type'] });
const make = () => Fact.create({ data_type: 'mood' });
const other = () => Sensor.create({ data_type: 'mood' });
