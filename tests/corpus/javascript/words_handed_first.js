const TABLE = 'entity_facts';

export const ofUser = () => fetchFacts('user').select('data_type');
export const got = () => get('user').where({ data_type: 'identity' });
export const added = () => addFact({ relation: 'likes', data: { data_type: 'identity' } });
export const sensors = () => knex('sensors').select('data_type');
