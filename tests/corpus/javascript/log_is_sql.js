console.log("UPDATE entity_facts SET data_type = 'permanent' WHERE id = 3;");
