// entity_facts
row.data_type = 'permanent';
row['data_type'] ??= 'observation';
delete row.data_type;
const copy = { ...row, data_type: row.data_type };
