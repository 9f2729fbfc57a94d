// entity_facts
const a = await Model.find({ data_type: 'permanent' });
const b = await Model.insertOne({ data_type: 'permanent' });
