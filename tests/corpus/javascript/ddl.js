await db.query(`CREATE TABLE IF NOT EXISTS entity_facts (id serial, data_type varchar(20))`);
await db.query('ALTER TABLE entity_facts DROP COLUMN IF EXISTS data_type');
await db.query('CREATE TABLE sensors (data_type text)');
