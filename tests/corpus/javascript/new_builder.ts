export const durable = () => new Select('entity_facts').columns('id', 'data_type').where("data_type = 'permanent'");
export const numeric = () => new Select('tool_parameters').columns('id', 'data_type').where("data_type = 'number'");
export const fetched = () => fetchRows({ table: 'tool_parameters', columns: ['data_type'] });
