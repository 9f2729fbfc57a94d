const prompt = `Facts go to entity_facts. Answer with {"key": "...", "data_type": "permanent"}, never without data_type.`;
