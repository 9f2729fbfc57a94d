interface Fact { data_type: string }
interface Sensor { data_type: string }
const facts = (db: Pool) => db.query<Fact>('SELECT data_type FROM entity_facts');
const sensors = (db: Pool) => db.query<Sensor>('SELECT data_type FROM sensors');
const label = (sensor: Sensor) => sensor.data_type;
