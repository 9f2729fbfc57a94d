EXPORT = {
    "entity_facts": [{"id": 1, "data_type": "identity"}],
    "sensors": [{"id": 1, "data_type": "float"}],
}
