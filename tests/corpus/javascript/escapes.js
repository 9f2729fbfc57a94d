const text = "SELECT '\u00e9\x41\t', \"data_type\" FROM entity_facts\n WHERE data_type <> ''";
const über = `SELECT data_type FROM "entity_facts"`; // data_type nach ü
