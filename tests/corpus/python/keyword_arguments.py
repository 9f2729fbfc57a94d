TABLE = "entity_facts"


def remember(client, text, kind):
    client.remember(text, data_type="identity")
    client.forget(text, **{"data_type": kind})
    return client.filter(data_type="permanent").exclude(data_type=None)
