export const fact = (more) => ({ entity_facts: true, data_type: 'observation', ...more });
