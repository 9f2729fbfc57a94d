def build(entity_id, note):
    payload = {"entity_id": entity_id, "key": "note", "value": note}
    payload["data_type"] = "temporary"
    return payload


def insert(cur, payload):
    cols = ", ".join(payload)
    marks = ", ".join(["%s"] * len(payload))
    cur.execute(f"INSERT INTO entity_facts ({cols}) VALUES ({marks})", list(payload.values()))


def attach(cur, name):
    meta = {"name": name, "data_type": "pdf"}
    cur.execute("INSERT INTO attachments (name, data_type) VALUES (%(name)s, %(data_type)s)", meta)


def remember(cur, entity_id, note):
    insert(cur, build(entity_id, note))
