String sql = "SELECT f.data_type " +
    "FROM entity_facts f";
String other = "SELECT s.data_type FROM sensors s";
