const TABLES = Object.freeze({ facts: 'entity_facts', sensors: 'sensors' });
enum Names { Facts = 'entity_facts', Sensors = 'sensors' }
const table = process.env.FACTS_TABLE ?? 'entity_facts';
const a = `SELECT data_type FROM ${TABLES.facts}`;
const b = `SELECT data_type FROM ${TABLES.sensors}`;
const c = `SELECT data_type FROM ${Names.Facts}`;
const d = `SELECT data_type FROM ${table}`;
