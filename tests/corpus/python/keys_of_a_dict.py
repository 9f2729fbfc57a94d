def store(cur, text):
    row = {"text": text, "data_type": "observation"}
    columns = ", ".join(row)
    cur.execute(f"INSERT INTO entity_facts ({', '.join(row.keys())}) VALUES (%s, %s)", list(row.values()))
    return columns
