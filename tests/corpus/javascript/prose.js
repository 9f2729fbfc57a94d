/**
 * @property {string} data_type of entity_facts
 */
function check(row) { // data_type again
  console.log('data_type of entity_facts is', row.data_type);
  logger.warn(`no data_type for ${row.data_type}`);
  if (!row.id) throw new Error("column data_type is missing from entity_facts");
}
