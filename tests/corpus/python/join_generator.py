FIELDS = ("confidence", "data_type")


def save(cur, fact):
    cur.execute("UPDATE entity_facts SET " + ", ".join(f"{c} = %s" for c in FIELDS) + " WHERE id = %s")
