def build(text):
    return {"text": text, "data_type": "observation"}


def store(cur, fact):
    cur.execute(
        "INSERT INTO entity_facts (text, data_type) VALUES (%s, %s)",
        (fact["text"], fact["data_type"]),
    )
