const TABLE = 'entity_facts';
const a = row.data_types, b = row.my_data_type, c = row.$data_type, d = row.data_type_id;
const e = row.data_type, dataType = 1;
