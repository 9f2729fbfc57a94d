def facts(db):
    db["entity_facts"].find(data_type="permanent")
    db["entity_facts"].insert(dict(data_type="identity"))
    db["sensors"].find(data_type="float")
