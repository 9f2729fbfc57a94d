QUERY = (
    "SELECT f.data_type, s.data_type AS sensor_type "
    "FROM entity_facts f JOIN sensors s ON s.entity_id = f.entity_id "
    "WHERE s.data_type = 'float' AND f.data_type = 'identity'"
)
