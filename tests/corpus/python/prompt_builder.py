PROMPT = """You extract facts from a conversation.
Answer with a JSON list of objects with the keys key, value and data_type
(one of permanent, identity, observation, temporary)."""


def store(cur, entity_id, answer):
    for item in answer:
        cur.execute(
            "INSERT INTO entity_facts (entity_id, key, value, data_type) VALUES (%s, %s, %s, %s)",
            (entity_id, item["key"], item["value"], item.get("data_type", "observation")),
        )
