const COLS = ['entity_id', 'key', 'value', 'data_type'];

function insertSql(n) {
  const groups = [];
  for (let i = 0; i < n; i += 1) {
    groups.push('(' + COLS.map((_, j) => '$' + (i * COLS.length + j + 1)).join(', ') + ')');
  }
  return 'INSERT INTO entity_facts (' + COLS.join(', ') + ') VALUES ' + groups.join(', ');
}

const PURGE =
  'DELETE FROM entity_facts ' +
  "WHERE data_type = 'temporary' " +
  'AND expires_at < now()';

module.exports = { insertSql, PURGE };
