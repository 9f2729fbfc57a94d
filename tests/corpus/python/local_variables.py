TABLE = "entity_facts"


def remember(text, data_type="observation"):
    if data_type == "permanent":
        data_type = "identity"
    return store(text, data_type)
