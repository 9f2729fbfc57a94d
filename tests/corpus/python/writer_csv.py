import csv

FIELDS = ["id", "data_type", "key"]


def export(cur, out):
    writer = csv.DictWriter(out, fieldnames=FIELDS)
    for row in cur.execute("SELECT * FROM entity_facts"):
        writer.writerow({"id": row["id"], "data_type": row["data_type"]})
