QUERIES = {
    "read": "SELECT data_type FROM {facts} WHERE id = %s",
    "set": "UPDATE {facts} SET data_type = %s WHERE id = %s",
}
NAMES = {"facts": "entity_facts"}


def read(cur, fact_id):
    cur.execute(QUERIES["read"].format_map(NAMES), (fact_id,))
    return cur.fetchone()
