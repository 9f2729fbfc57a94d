export const q = 'SELECT entity_facts.data_type FROM sensors AS entity_facts';
