class Sensors {
  rows() { return this.db.query('SELECT id, data_type FROM sensors'); }
  label(row) { return row.data_type; }
}
class Facts {
  rows() { return this.db.query('SELECT id, data_type FROM entity_facts'); }
  label(row) { return row.data_type; }
}
