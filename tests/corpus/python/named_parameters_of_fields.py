FIELDS = ["key", "data_type"]
SETS = ", ".join(f"{name} = %({name})s" for name in FIELDS)


def save(cur, fact):
    cur.execute("UPDATE entity_facts SET " + SETS + " WHERE id = %(id)s", fact)
