const T = "entity_facts";
function build(kind) {
  return "SELECT f.id, f.data_type " +
    "FROM " + T + " f " +
    "JOIN sensors s ON s.fact_id = f.id " +
    "WHERE s.data_type = '" + kind + "'";
}
